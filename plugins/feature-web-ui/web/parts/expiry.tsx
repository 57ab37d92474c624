import { now, toDuration } from "../kit/clock.ts";
import * as texts from "../texts/frame.ts";
import { toLocal } from "./time.tsx";

/** Shows the remaining time until an expiry, or `expired`; the tooltip contains the date and time. */
export function Expiry({ at }: { readonly at: string }) {
	const rest = (Date.parse(at) - now.value) / 1_000;
	return (
		<time dateTime={at} title={toLocal(at)}>
			{rest <= 0 ? texts.expired : texts.remaining(toDuration(Math.ceil(rest)))}
		</time>
	);
}
