import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import type { TriggerRecord } from "../triggers/client-exports.ts";

/** A timer, with the times of its last and its next event. */
export interface TimerRecord extends TriggerRecord {
	/** Refs of the rules that use the timer and that the caller may view. */
	readonly rules: readonly string[];
	/** Null if the timer never fires again, or if no enabled rule acts on it. */
	readonly next_fire_at: string | null;
	readonly last_fired_at: string | null;
}

/** Client for the timers of a service. */
export interface TimerClient {
	list(query?: ListQuery): Promise<ListPage<TimerRecord>>;
	/** Returns the timer with this ref or id. */
	get(refOrId: string): Promise<TimerRecord>;
}

export function createTimerClient({ read, list }: ApiClient): TimerClient {
	return {
		list: (query) => list("/timers", query),
		get: (refOrId) => read(`/timers/${encodeURIComponent(refOrId)}`),
	};
}
