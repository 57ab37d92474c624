import type { EventBus } from "../../contract/index.ts";

/** Options of the conformance suite for event buses. */
export interface EventBusSuiteOptions {
	/** Registers one test. Accepts the `test` function of uvu or of node:test. */
	readonly test: (name: string, run: () => Promise<void>) => void;
	/** Prefix of every test name. */
	readonly name: string;
	/** Creates a started bus that is isolated from every other bus. The suite stops it. */
	readonly create: () => Promise<EventBus>;
	/**
	 * Creates another started bus that shares events with the bus created last, as on another node. The suite stops it. Required if
	 * `capabilities.shared` is true.
	 */
	readonly connect?: () => Promise<EventBus>;
}
