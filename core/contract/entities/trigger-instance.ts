import type { JsonObject } from "../json.ts";
import type { EntityKindDefinition } from "./kind.ts";

/**
 * Status of a trigger instance.
 *
 * - `pending`: not processed yet.
 * - `processing`: a node processes it.
 * - `processed`: all rules have been evaluated, whether or not one matched.
 * - `processing_failed`: processing has failed.
 */
export type TriggerInstanceStatus = "pending" | "processing" | "processed" | "processing_failed";

/** One event. It is acknowledged when it is stored, and each rule acts on it once. */
export interface TriggerInstanceEntity {
	readonly id: string;
	/** Ref of the trigger. */
	readonly trigger: string;
	readonly trigger_type: string;
	readonly status: TriggerInstanceStatus;
	readonly occurrence_time: string;
	readonly trace_id: string;
	/** Deduplication key: events with equal keys are one event. Equals the id if the sender gave no key. */
	readonly unique_key: string;
	/** Id of the execution that dispatched this event, or whose end caused it. Null for other events. */
	readonly caused_by_id: string | null;
	/** Number of rules between this event and the first event of its cascade, from 0. */
	readonly depth: number;
	/** Number of times that processing has begun. */
	readonly attempt: number;
	/** Node that processes the event. Null if no node does. */
	readonly owner: string | null;
	/** Fencing token, as in executions. */
	readonly fence: string | null;
	readonly lease_expires_at: string | null;
	/** Reason of the status `processing_failed`. */
	readonly failure_reason: string | null;
	/** Secrets of the payload, encrypted as in executions. The payload itself is unmasked. */
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
