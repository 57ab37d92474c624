import type { TriggerInstanceEntity } from "../../contract/index.ts";

/** The lease of an event that is being processed. */
export interface InstanceLease {
	/** Prolong it when it is time to; false when the event is no longer this node's. */
	keep(): Promise<boolean>;
}

/** What decides what is done about events. */
export interface Reactor {
	/** Whether anything would be done about an event of this trigger. Others of types that are kept for rules only are not stored. */
	isListenedTo(trigger: string): Promise<boolean>;
	/**
	 * Whether nothing will be done about an event that is not stored yet, so that it may be stored as processed. False where that takes
	 * long to tell.
	 */
	concernsNobody(instance: TriggerInstanceEntity): Promise<boolean>;
	/** Do what is to be done about a claimed event, and close it under its fence. Rejects only while nothing can be stored. */
	react(instance: TriggerInstanceEntity, lease: InstanceLease): Promise<void>;
}

/** Nobody does anything about events: all are kept, and stored as processed. What an engine with a reactor has left stays as it is. */
export const noReactor: Reactor = {
	isListenedTo: async () => false,
	concernsNobody: async () => true,
	react: async () => undefined,
};
