import { now, toAgo, toDuration } from "../kit/clock.ts";

/** When something was: how long ago, with the whole time of it as its title. */
export function Ago({ at }: { readonly at: string | undefined }) {
	if (at === undefined) return <span class="faint">–</span>;
	return (
		<time dateTime={at} title={toLocal(at)}>
			{toAgo(now.value - Date.parse(at))}
		</time>
	);
}

/** How long something took, or has taken so far. */
export function Duration({ from, to }: { readonly from: string | undefined; readonly to?: string | undefined }) {
	if (from === undefined) return <span class="faint">–</span>;
	const end = to === undefined ? now.value : Date.parse(to);
	return <span class="number">{toDuration(Math.max(0, end - Date.parse(from)) / 1_000)}</span>;
}

/** A time in the zone of whoever looks, to the millisecond. */
export function toLocal(at: string): string {
	const date = new Date(at);
	const pad = (value: number, length = 2) => String(value).padStart(length, "0");
	const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
	return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
}
