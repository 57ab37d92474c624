import type { EventBus } from "../../contract/index.ts";

/** What the suite for event buses needs. */
export interface EventBusSuiteOptions {
	/** Registers one test; `test` of uvu and of node:test both fit. */
	readonly test: (name: string, run: () => Promise<void>) => void;
	/** Stands in front of every test name. */
	readonly name: string;
	/** A fresh, started bus that shares no event with another one. The suite stops it. */
	readonly create: () => Promise<EventBus>;
	/**
	 * Another started bus that shares events with the one created last, as that of another node. The suite stops it. Needed when
	 * `capabilities.shared` is true.
	 */
	readonly connect?: () => Promise<EventBus>;
}
