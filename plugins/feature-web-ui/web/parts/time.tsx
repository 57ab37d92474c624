import { now, toAgo, toDuration } from "../kit/clock.ts";

/** Shows the age of a time; the tooltip contains the date and time. */
export function Ago({ at }: { readonly at: string | undefined }) {
	if (at === undefined) return <span class="faint">–</span>;
	return (
		<time dateTime={at} title={toLocal(at)}>
			{toAgo(now.value - Date.parse(at))}
		</time>
	);
}

/** Shows the duration from one time to another, or until now without an end. */
export function Duration({ from, to }: { readonly from: string | undefined; readonly to?: string | undefined }) {
	if (from === undefined) return <span class="faint">–</span>;
	const end = to === undefined ? now.value : Date.parse(to);
	return <span class="number">{toDuration(Math.max(0, end - Date.parse(from)) / 1_000)}</span>;
}

/** Formats a time in the time zone of the browser, with milliseconds. */
export function toLocal(at: string): string {
	const date = new Date(at);
	const pad = (value: number, length = 2) => String(value).padStart(length, "0");
	const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
	return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
}
