import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/** States of a trigger instance: `processed` says that every rule was looked at, whether or not one matched. */
export type TriggerInstanceStatus = "pending" | "processing" | "processed" | "processing_failed";

/** One event. Acknowledged means stored; each rule acts on it once. */
export interface TriggerInstanceEntity {
	readonly id: string;
	/** Ref of the trigger. */
	readonly trigger: string;
	readonly trigger_type: string;
	readonly status: TriggerInstanceStatus;
	readonly occurrence_time: string;
	readonly trace_id: string;
	/** A second event with the same key is the same event; the id when nothing is known of it. */
	readonly unique_key: string;
	/** Execution whose end this is. */
	readonly caused_by_id: string | null;
	/** Rules between this event and the first of its cascade, from 0. */
	readonly depth: number;
	/** How often its processing has been begun. */
	readonly attempt: number;
	/** Node that processes it. */
	readonly owner: string | null;
	/** As in executions. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** Why the status is `processing_failed`. */
	readonly failure_reason: string | null;
	/** As in executions: what is secret in the payload, with real values. */
	readonly known_secrets: string | null;
	readonly payload: JsonObject;
}

export const triggerInstanceKind: EntityKindDefinition<TriggerInstanceEntity> = {
	fields: {
		id: "text",
		trigger: "text",
		trigger_type: "text",
		status: "text",
		occurrence_time: "text",
		trace_id: "text",
		unique_key: "text",
		caused_by_id: "text",
		depth: "integer",
		attempt: "integer",
		owner: "text",
		fence: "text",
		lease_expires_at: "text",
		failure_reason: "text",
		payload: "json",
		known_secrets: "text",
	},
	unique: [["unique_key"]],
	indexes: [
		["occurrence_time"],
		["status", "occurrence_time"],
		["trigger", "occurrence_time"],
		["trigger_type", "occurrence_time"],
		["trace_id"],
	],
	sparseIndexes: { caused_by_id: [["caused_by_id"]], lease_expires_at: [["status", "lease_expires_at"]] },
	timeline: "occurrence_time",
	shareable: true,
};
