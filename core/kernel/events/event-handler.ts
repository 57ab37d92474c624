import type { TraceEntity, TriggerInstanceEntity, WriteOperation } from "../../contract/index.ts";

/** The lease of an event that is being processed. */
export interface EventLease {
	/** Renews the lease if that is due. Returns false if this node no longer holds the event. */
	renewIfDue(): Promise<boolean>;
}

/** Inserts a new event in its current state, together with `also` in one write, all or nothing. */
export type StoreEvent = (instance: TriggerInstanceEntity, also?: readonly WriteOperation[]) => Promise<void>;

/** Result of evaluating an event before it is stored. */
export interface InlineEvaluation {
	/** True if no action follows from the event: `act` then only stores the event as processed. */
	readonly hasNoActions: boolean;
	/**
	 * Stores the event as processed, in one write with all actions that follow from it. Returns false, and stores nothing, if that is
	 * impossible; `handle` reports the reason once the event is stored and claimed. Rejects only if the storage accepts no writes.
	 *
	 * @param trace the trace that the event opens; undefined if it joins an existing one
	 */
	act(trace: TraceEntity | undefined, store: StoreEvent): Promise<boolean>;
}

/** Decides which actions follow from events, and executes them. */
export interface EventHandler {
	/**
	 * Returns true if an action could follow from an event of this trigger. If false, events of types with `isKeptForRulesOnly` are not
	 * stored.
	 */
	isTriggerUsed(trigger: string): Promise<boolean>;
	/**
	 * Evaluates an event before it is stored, while the sender waits. Returns undefined if that takes too long; the event is then stored
	 * and handled later.
	 */
	evaluateInline(instance: TriggerInstanceEntity): Promise<InlineEvaluation | undefined>;
	/**
	 * Executes the actions that follow from a claimed event, and stores the final status of the event under its fence. Rejects only while the
	 * storage accepts no writes.
	 */
	handle(instance: TriggerInstanceEntity, lease: EventLease): Promise<void>;
}

/** Returns the evaluation of an event from which no action follows. */
export function noActionEvaluation(instance: TriggerInstanceEntity): InlineEvaluation {
	return {
		hasNoActions: true,
		async act(_trace, store) {
			await store({ ...instance, status: "processed" });
			return true;
		},
	};
}

/**
 * Default if no feature handles events: every event is stored as processed. Events that were stored as pending by an earlier engine are not
 * processed.
 */
export const noEventHandler: EventHandler = {
	isTriggerUsed: async () => false,
	evaluateInline: async (instance) => noActionEvaluation(instance),
	handle: async () => undefined,
};
