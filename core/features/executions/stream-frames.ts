import type { RouteContext } from "../../http/route.ts";
import { toMaskedPresentation } from "../../http/secret-presentation.ts";
import type { BroadcastSource } from "../../http/sse-fan-out-feed.ts";
import { toRights } from "../../http/stream-authorization.ts";
import { toActionResource } from "../../kernel/basics/refs.ts";
import { SharedFrames } from "./event-cache.ts";
import type { StreamEvent } from "./events-api.ts";
import type { RouteNeeds } from "./route-needs.ts";
import { type StreamFilter, toActionRef, toEventFrame } from "./stream-filter.ts";

type Context = RouteContext<RouteNeeds>;

/** Frames of each event, for all who follow the general stream. */
const frames = new SharedFrames<StreamEvent>();

/** Followers with the same rights who ask for the same get the same stream; one that is to end somewhere is for its client alone. */
export function toKey({ principal, query }: Context, { hasEnd }: StreamFilter): unknown {
	return hasEnd ? Symbol("stream with an end") : JSON.stringify([principal.isAdmin ? "admin" : toRights(principal), query]);
}

/** The events that pass the filter and that whoever asks may see, as bytes. */
export async function openFrames(context: Context, filter: StreamFilter, signal: AbortSignal): Promise<BroadcastSource> {
	const { events, published } = await context.engine.events.open(filter.subscriptions, { signal });
	const toFrame = (event: StreamEvent) => frames.of(event, context, (asking) => toEventFrame(asking, event, toMaskedPresentation(asking)));
	const read = async function* () {
		for await (const some of events) {
			const shown: Uint8Array[] = [];
			let isEnd = false;
			for (const event of some) {
				if (isEnd) break;
				if (filter.accepts(event) && mayView(event, context)) {
					const frame = toFrame(event);
					shown.push(frame instanceof Promise ? await frame : frame);
				}
				isEnd = filter.isEnd(event);
			}
			yield shown;
			if (isEnd) return;
		}
	};
	return { frames: read(), published };
}

/** Executions, their output and announcements about them show only to those who may view them, and these to their own user. */
function mayView(event: StreamEvent, { guard, principal }: Context): boolean {
	const about = event.kind === "other" ? event.about : undefined;
	const ref = about?.action_ref ?? toActionRef(event);
	if (about?.user === principal.username) return true;
	return principal.isAdmin || ref === undefined || guard.allows(principal, "execution_view", toActionResource(ref));
}
