import { now, toDuration } from "../kit/clock.ts";
import { toLocal } from "./time.tsx";

/** When something ends: how long that is, with the whole time of it as its title. */
export function Expiry({ at }: { readonly at: string }) {
	const rest = (Date.parse(at) - now.value) / 1_000;
	return (
		<time dateTime={at} title={toLocal(at)}>
			{rest <= 0 ? "expired" : `in ${toDuration(Math.ceil(rest))}`}
		</time>
	);
}
