import type { Storage } from "../../contract/index.ts";

/** A storage under test. */
export interface OpenedStorage {
	readonly storage: Storage;
	/** Stops the storage and removes what it kept. */
	stop(): Promise<void>;
	/** Starts the storage anew over what it kept, as a restart of the service does. Needed where `capabilities.durable`. */
	reopen?(): Promise<Storage>;
}

/** Registers the test of one statement of the contract; each gets a storage of its own. */
export type Check = (statement: string, run: (storage: Storage, opened: OpenedStorage) => Promise<void>) => void;
