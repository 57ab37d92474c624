import type { Storage } from "../../contract/index.ts";

/** A storage under test. */
export interface OpenedStorage {
	readonly storage: Storage;
	/** Stops the storage and deletes its data. */
	stop(): Promise<void>;
	/** Starts the storage again on the same data, as a restart of the service does. Required if `capabilities.durable` is true. */
	reopen?(): Promise<Storage>;
}

/** Registers the test of one statement of the contract; each gets its own storage. */
export type Check = (statement: string, run: (storage: Storage, opened: OpenedStorage) => Promise<void>) => void;
