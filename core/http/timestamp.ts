import { SvcError } from "../contract/index.ts";

const pattern = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{3,6}))?(?:Z|[+ ]00(?::?00)?)?$/;

/** A time from a query in the form that is stored, so that texts can be compared. A plus sign may have become a blank. */
export function parseTimestamp(name: string, text: string): string {
	const [, date, time, fraction = ""] = pattern.exec(text.trim()) ?? [];
	const milliseconds = Date.parse(`${date}T${time}Z`);
	// Dates such as 30 February are moved on by the parser instead of refused.
	if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(`${date}T${time}`)) {
		throw new SvcError("SVC_INVALID", `${name}: must be a UTC time such as 2031-03-04T09:15:02.418273Z`);
	}
	return `${date}T${time}.${fraction.padEnd(6, "0")}Z`;
}
