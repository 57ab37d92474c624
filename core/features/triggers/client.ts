import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
import { createRecordClient, type RecordClient } from "../../client/record-client.ts";
import type { JsonObject } from "../../contract/index.ts";

/** A trigger type in a response of the API. */
export interface TriggerTypeRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly pack: string;
	readonly description: string;
	readonly payload_schema: JsonObject;
	readonly parameters_schema: JsonObject;
	readonly tags: readonly JsonObject[];
	readonly metadata_file: string;
}

/** Body of a request that creates or replaces a trigger type. */
export type TriggerTypeRequest = Pick<TriggerTypeRecord, "name" | "pack"> & Partial<TriggerTypeRecord>;

/** A trigger type with values for its parameters. */
export interface TriggerRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly pack: string;
	/** Ref of the trigger type. */
	readonly type: string;
	/** What the trigger is, such as `webhook hello` or `every 5 seconds`. */
	readonly title: string;
	readonly description: string;
	readonly parameters: JsonObject;
}

/** Body of a request that creates or replaces a trigger. A new trigger without a name gets a generated one. */
export type TriggerRequest = Pick<TriggerRecord, "type"> & Partial<TriggerRecord>;

/** An event in a response of the API. */
export interface TriggerInstanceRecord {
	readonly id: string;
	readonly trigger: string;
	readonly trigger_type: string;
	/**
	 * What the trigger is now, such as `webhook hello` or `every 5 seconds`. Absent for callers without the permission to view the
	 * parameters of the trigger.
	 */
	readonly trigger_title?: string;
	/** Absent for callers without the permission to view it. */
	readonly payload?: JsonObject;
	readonly occurrence_time: string;
	readonly status: "pending" | "processing" | "processed" | "processing_failed";
	readonly trace_id: string;
	readonly failure_reason?: string;
}

/** Client for the triggers of a service, their types and their events. */
export interface TriggerPart extends Omit<RecordClient<TriggerRecord, TriggerRequest>, "list"> {
	list(query?: ListQuery): Promise<readonly TriggerRecord[]>;
	/** Creates a trigger. Returns the existing one if its pack and name, or its type and parameters, are in use. */
	create(trigger: TriggerRequest): Promise<TriggerRecord>;
	/** Replaces all fields; name and pack stay unless they are given. */
	update(refOrId: string, trigger: TriggerRequest): Promise<TriggerRecord>;
	readonly types: RecordClient<TriggerTypeRecord, TriggerTypeRequest>;
	readonly instances: {
		list(query?: ListQuery): Promise<ListPage<TriggerInstanceRecord>>;
		get(id: string): Promise<TriggerInstanceRecord>;
		/** Dispatches the event again. */
		reEmit(id: string, reason?: string): Promise<{ readonly message: string; readonly id: string }>;
	};
}

export function createTriggerClient(api: ApiClient): TriggerPart {
	const { read, list } = api;
	const at = (id: string) => `/triggerinstances/${encodeURIComponent(id)}`;
	const triggers = createRecordClient<TriggerRecord, TriggerRequest>(api, "/triggers");
	return {
		...triggers,
		list: async (query) => (await triggers.list(query)).items,
		types: createRecordClient(api, "/triggertypes"),
		instances: {
			list: (query) => list("/triggerinstances", query),
			get: (id) => read(at(id)),
			reEmit: (id, reason) => read(`${at(id)}/re_emit`, { method: "POST", ...(reason !== undefined && { query: { reason } }) }),
		},
	};
}
