// The theme would take light for chosen; what a reader has not chosen follows the system.
if (localStorage.getItem("theme") === null && matchMedia("(prefers-color-scheme: dark)").matches) {
  localStorage.setItem("theme", "dark");
}
