"""The report: what became of the blocks of one page or several, as one HTML file that needs nothing else."""

from scrapy_justext.inspection.report.document import report_html, report_on, write_report

__all__ = ["report_html", "report_on", "write_report"]
