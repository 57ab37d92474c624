import type { BusEvent, EventBus, JsonObject } from "../contract/index.ts";
import type { Catalog } from "./catalog.ts";
import type { Events, StreamEvent } from "./engine-api.ts";
import { announcementPrefix, eventNames, toEventChunk, toEventEntity } from "./execution-events.ts";

/** Events a general stream holds for a slow reader; beyond it the stream ends with an error, as it has no past to read from. */
const streamBuffer = 2_000;

const executionNames: ReadonlySet<string> = new Set([eventNames.executionCreate, eventNames.executionUpdate]);
const liveactionNames: ReadonlySet<string> = new Set([eventNames.liveactionCreate, eventNames.liveactionUpdate]);

/** Live events for the general stream. */
export function createEvents({ eventBus, catalog }: { readonly eventBus: EventBus; readonly catalog: Catalog }): Events {
	async function toStreamEvent(event: BusEvent): Promise<StreamEvent> {
		const { name } = event;
		if (name.startsWith(announcementPrefix)) return { name, kind: "other", data: event.data as JsonObject };
		if (name === eventNames.outputCreate) return { name, kind: "output", chunk: toEventChunk(event) };
		const kind = executionNames.has(name) ? "execution" : "liveaction";
		const entity = toEventEntity(event);
		return { name, kind, view: { entity, snapshot: await catalog.snapshot(entity.snapshot_id), children: [] } };
	}

	return {
		async subscribe(patterns, { signal }) {
			const names = [...executionNames, ...liveactionNames, eventNames.outputCreate].filter((name) =>
				patterns.some((pattern) => isNamed(name, pattern)),
			);
			const announcements = patterns.flatMap((pattern) => toAnnouncements(pattern) ?? []);
			const events = await eventBus.subscribe([...names, ...announcements], { signal, buffer: streamBuffer });
			return (async function* () {
				for await (const event of events) yield await toStreamEvent(event);
			})();
		},
	};
}

/** The announcements among what a pattern stands for: only their names are not known beforehand. */
function toAnnouncements(pattern: string): string | undefined {
	if (pattern.startsWith(announcementPrefix)) return pattern;
	return isNamed(announcementPrefix, pattern) ? `${announcementPrefix}*` : undefined;
}

function isNamed(name: string, pattern: string): boolean {
	return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
