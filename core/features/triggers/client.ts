import type { ApiClient } from "../../client/api-client.ts";
import type { ListPage, ListQuery } from "../../client/page.ts";
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
export type TriggerTypeRequest = Pick<TriggerTypeRecord, "name" | "pack"> & {
	readonly [F in keyof TriggerTypeRecord]?: TriggerTypeRecord[F];
};

/** A trigger type with values for its parameters. */
export interface TriggerRecord {
	readonly id: string;
	readonly uid: string;
	readonly ref: string;
	readonly name: string;
	readonly pack: string;
	/** Ref of the trigger type. */
	readonly type: string;
	readonly description: string;
	readonly parameters: JsonObject;
}

/** Body of a request that creates or replaces a trigger. A new trigger without a name gets a generated one. */
export type TriggerRequest = Pick<TriggerRecord, "type"> & { readonly [F in keyof TriggerRecord]?: TriggerRecord[F] };

/** An event in a response of the API. */
export interface TriggerInstanceRecord {
	readonly id: string;
	readonly trigger: string;
	readonly trigger_type: string;
	/** Absent for callers without the permission to view it. */
	readonly payload?: JsonObject;
	readonly occurrence_time: string;
	readonly status: "pending" | "processing" | "processed" | "processing_failed";
	readonly trace_id: string;
	readonly failure_reason?: string;
}

/** Client for the triggers of a service, their types and their events. */
export interface TriggerPart {
	list(query?: ListQuery): Promise<readonly TriggerRecord[]>;
	/** Returns the trigger with this ref or id. */
	get(refOrId: string): Promise<TriggerRecord>;
	/** Creates a trigger. Returns the existing one if its pack and name, or its type and parameters, are in use. */
	create(trigger: TriggerRequest): Promise<TriggerRecord>;
	/** Replaces all fields; name and pack stay unless they are given. */
	update(refOrId: string, trigger: TriggerRequest): Promise<TriggerRecord>;
	remove(refOrId: string): Promise<void>;
	readonly types: {
		list(query?: ListQuery): Promise<ListPage<TriggerTypeRecord>>;
		get(refOrId: string): Promise<TriggerTypeRecord>;
		create(type: TriggerTypeRequest): Promise<TriggerTypeRecord>;
		update(refOrId: string, type: TriggerTypeRequest): Promise<TriggerTypeRecord>;
		remove(refOrId: string): Promise<void>;
	};
	readonly instances: {
		list(query?: ListQuery): Promise<ListPage<TriggerInstanceRecord>>;
		get(id: string): Promise<TriggerInstanceRecord>;
		/** Dispatches the event again. */
		reEmit(id: string, reason?: string): Promise<{ readonly message: string; readonly id: string }>;
	};
}

export function createTriggerClient({ read, list, call }: ApiClient): TriggerPart {
	const at = encodeURIComponent;
	return {
		list: async (query) => (await list<TriggerRecord>("/triggers", query)).items,
		get: (ref) => read(`/triggers/${at(ref)}`),
		create: (body) => read("/triggers", { method: "POST", body }),
		update: (ref, body) => read(`/triggers/${at(ref)}`, { method: "PUT", body }),
		async remove(ref) {
			await call(`/triggers/${at(ref)}`, { method: "DELETE" });
		},
		types: {
			list: (query) => list("/triggertypes", query),
			get: (ref) => read(`/triggertypes/${at(ref)}`),
			create: (body) => read("/triggertypes", { method: "POST", body }),
			update: (ref, body) => read(`/triggertypes/${at(ref)}`, { method: "PUT", body }),
			async remove(ref) {
				await call(`/triggertypes/${at(ref)}`, { method: "DELETE" });
			},
		},
		instances: {
			list: (query) => list("/triggerinstances", query),
			get: (id) => read(`/triggerinstances/${at(id)}`),
			reEmit: (id, reason) => {
				const query = reason === undefined ? {} : { query: { reason } };
				return read(`/triggerinstances/${at(id)}/re_emit`, { method: "POST", ...query });
			},
		},
	};
}
