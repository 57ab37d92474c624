import type { TraceEntity, TriggerInstanceEntity, WriteOperation } from "../../contract/index.ts";

/** The lease of an event that is being processed. */
export interface InstanceLease {
	/** Prolong it when it is time to; false when the event is no longer this node's. */
	keep(): Promise<boolean>;
}

/** Stores a new event, as it is by then, in one write with `also`: all or nothing. */
export type StoreEvent = (instance: TriggerInstanceEntity, also?: readonly WriteOperation[]) => Promise<void>;

/** What could be told of an event before it is stored. */
export interface FirstLook {
	/** Nothing will be done about it: `act` does no more than to store it as processed. */
	readonly concernsNobody: boolean;
	/**
	 * Do all that is to be done about it in the one write that stores it, as processed. `trace` is the one that it begins. False: that
	 * cannot be, and nothing is stored; `react` tells why. Rejects only when nothing can be stored.
	 */
	act(trace: TraceEntity | undefined, store: StoreEvent): Promise<boolean>;
}

/** What decides what is done about events. */
export interface Reactor {
	/** Whether anything would be done about an event of this trigger. Others of types that are kept for rules only are not stored. */
	isListenedTo(trigger: string): Promise<boolean>;
	/**
	 * Look at an event that is not stored yet, while whoever brings it waits. Undefined where it takes long to tell what is to be done:
	 * it is stored then, and `react` is called.
	 */
	lookFirst(instance: TriggerInstanceEntity): Promise<FirstLook | undefined>;
	/** Do what is to be done about a claimed event, and close it under its fence. Rejects only while nothing can be stored. */
	react(instance: TriggerInstanceEntity, lease: InstanceLease): Promise<void>;
}

/** The look at an event that nothing will be done about. */
export function toNobodys(instance: TriggerInstanceEntity): FirstLook {
	return {
		concernsNobody: true,
		async act(_trace, store) {
			await store({ ...instance, status: "processed" });
			return true;
		},
	};
}

/** Nobody does anything about events: all are kept, and stored as processed. What an engine with a reactor has left stays as it is. */
export const noReactor: Reactor = {
	isListenedTo: async () => false,
	lookFirst: async (instance) => toNobodys(instance),
	react: async () => undefined,
};
