import { memoryStorage } from "../../plugins/storage-memory/index.ts";
import type { Storage, StoragePlugin } from "../contract/index.ts";

const reads: readonly string[] = ["find", "get", "count"];

type Call = (...values: unknown[]) => Promise<unknown>;

/** One node's way to a storage that several nodes of a test share. */
export interface Door {
	readonly plugin: StoragePlugin;
	/** Calls that change something wait from here on, as those of a process that is stopped. */
	shut(): void;
	/** What waits goes on, in order. */
	open(): void;
	/** Resolves when one of these methods has been called and waits. */
	knocked(...methods: readonly string[]): Promise<void>;
}

/** What a door may do to a call before it goes on; it may throw. */
export type OnCall = (method: string, values: unknown[]) => void;

export interface SharedStorage {
	/** For looking, and for leaving something behind. */
	readonly storage: Storage;
	createDoor(onCall?: OnCall): Door;
}

export function createSharedStorage(): SharedStorage {
	const storage = memoryStorage().create();
	return {
		storage,
		createDoor(onCall = () => {}) {
			let open = () => {};
			let opened: Promise<void> | undefined;
			const waiting: string[] = [];
			const pass =
				(method: string, call: Call): Call =>
				async (...values) => {
					if (opened !== undefined && !reads.includes(method)) {
						waiting.push(method);
						await opened;
					}
					onCall(method, values);
					return call(...values);
				};
			const door = new Proxy(storage, {
				get(target, name: keyof Storage) {
					if (name === "capabilities") return { shared: true };
					const member: unknown = target[name];
					return typeof member === "function" ? pass(name, member.bind(target) as Call) : member;
				},
			});
			return {
				plugin: { kind: "storage", name: "shared", create: () => door },
				shut() {
					opened = new Promise((resolve) => {
						open = resolve;
					});
				},
				open() {
					open();
					opened = undefined;
					waiting.length = 0;
				},
				async knocked(...methods) {
					while (!waiting.some((method) => methods.includes(method))) await new Promise((resolve) => setTimeout(resolve, 2));
				},
			};
		},
	};
}
