"""The site's revenue, house edge and audits."""
