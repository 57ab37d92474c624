import { waitForLoopBudget } from "../event-loop-budget.ts";
import { WorkBudget } from "../work-budget.ts";
import { TemplateError } from "./errors.ts";

export type DatastoreScope = "system" | "user";

/** Synchronous view of the datastore for templates, which cannot wait while they are rendered. */
export interface Datastore {
	/** Returns the value of an item; undefined if the item does not exist. */
	find(scope: DatastoreScope, name: string): string | undefined;
	/** Returns the plaintext of a secret item's ciphertext. */
	decrypt(cipherText: string): string;
	/** Other names of the datastore in templates, in addition to `svckv`. */
	readonly names?: readonly string[] | undefined;
}

/**
 * Asynchronous source of datastore items. A rendering requests each item once. If a request is rejected, the template that uses the item
 * throws its error.
 */
export interface DatastoreAccess {
	/** Returns the value of an item, or the ciphertext of a secret item; undefined if the item does not exist. */
	lookup(scope: DatastoreScope, name: string): Promise<string | undefined>;
	/** Returns the plaintext of a ciphertext. */
	decrypt(cipherText: string): Promise<string>;
	/** Other names of the datastore in templates, in addition to `svckv`. Default: none. */
	readonly names?: readonly string[] | undefined;
}

/** Returns true if a name refers to the datastore. The caller must have checked that no variable has this name. */
export function isDatastoreName(name: string, { names = [] }: { readonly names?: readonly string[] | undefined }): boolean {
	return name === "svckv" || names.includes(name);
}

/** Datastore access without items. */
export const emptyDatastoreAccess: DatastoreAccess = {
	lookup: async () => undefined,
	async decrypt() {
		throw new TemplateError("no value to decrypt");
	},
};

/** Datastore without items. */
export const emptyDatastore: Datastore = {
	find: () => undefined,
	decrypt() {
		throw new TemplateError("no value to decrypt");
	},
};

/** Maximum repetitions of one rendering to read further items, and maximum items that it may read in total. */
const lookupLimits = { rounds: 50, items: 1_000 };

/**
 * Renders with datastore items, although rendering is synchronous and reading items is not. `render` receives a datastore that records
 * requested items which have not been read. These items are then read, and `render` is called again until no item is missing. The result or
 * error of an incomplete call is discarded, so `render` must have no side effects. Use this function around anything that takes a
 * `Datastore`:
 *
 *     await renderWithLookups(access, (datastore) => renderLive({ ...input, datastore }));
 *     await renderWithLookups(access, (datastore) => template.render(toScope(values, datastore)));
 *
 * Values of the datastore are inserted unchanged and never rendered. Throws `TemplateError` if items depend on one another more than 50
 * times in a row, or if more than 1,000 items are read.
 *
 * @param work budget of all calls; pass the budget of the larger unit of work, if there is one
 */
export async function renderWithLookups<T>(
	access: DatastoreAccess,
	render: (datastore: Datastore) => T,
	work = new WorkBudget(),
): Promise<T> {
	return renderWithAllLookups([access], ([datastore]) => render(datastore as Datastore), work);
}

/**
 * Renders like `renderWithLookups`, with one datastore for each access. Templates of one rendering can thereby read with different
 * permissions.
 */
export async function renderWithAllLookups<T>(
	accesses: readonly DatastoreAccess[],
	render: (datastores: readonly Datastore[]) => T,
	work = new WorkBudget(),
): Promise<T> {
	const items = accesses.map((access) => new FetchedItems(access));
	for (let round = 0; round < lookupLimits.rounds; round++) {
		await waitForLoopBudget();
		const outcome = captureOutcome(() => work.run(() => render(items)));
		if (!items.some(({ isIncomplete }) => isIncomplete)) return outcome();
		await Promise.all(items.map((item) => item.fetch()));
	}
	throw new TemplateError(`names of datastore items depend on each other more than ${lookupLimits.rounds} levels deep`);
}

/** Runs an action and returns a function that repeats its outcome: it returns the result or throws the error. */
function captureOutcome<T>(action: () => T): () => T {
	try {
		const result = action();
		return () => result;
	} catch (error) {
		return () => {
			throw error;
		};
	}
}

/** Datastore of the items that have been read, which records the items that are still missing. */
class FetchedItems implements Datastore {
	readonly #access: DatastoreAccess;
	// Created on the first access, because most templates read no items.
	#knownItems: Map<string, () => string | undefined> | undefined;
	#missingItems: Map<string, () => Promise<string | undefined>> | undefined;

	constructor(access: DatastoreAccess) {
		this.#access = access;
	}

	get names(): readonly string[] | undefined {
		return this.#access.names;
	}

	get isIncomplete(): boolean {
		return this.#missingItems !== undefined && this.#missingItems.size > 0;
	}

	find(scope: DatastoreScope, name: string): string | undefined {
		// The name may be computed from another item that has not been read yet.
		if (name === "") return "";
		return this.#get(`${scope}:${name}`, () => this.#access.lookup(scope, name));
	}

	decrypt(cipherText: string): string {
		return this.#get(`decrypt:${cipherText}`, () => this.#access.decrypt(cipherText)) ?? "";
	}

	/** Reads the missing items. Never rejects: an error is thrown when a template uses the item. */
	async fetch(): Promise<void> {
		this.#knownItems ??= new Map();
		const knownItems = this.#knownItems;
		const requests = [...(this.#missingItems ?? [])].map(async ([key, read]) => {
			try {
				const text = await read();
				knownItems.set(key, () => text);
			} catch (error) {
				knownItems.set(key, () => {
					throw error;
				});
			}
		});
		this.#missingItems?.clear();
		await Promise.all(requests);
	}

	#get(key: string, read: () => Promise<string | undefined>): string | undefined {
		const knownItem = this.#knownItems?.get(key);
		if (knownItem !== undefined) return knownItem();
		this.#missingItems ??= new Map();
		if ((this.#knownItems?.size ?? 0) + this.#missingItems.size >= lookupLimits.items) {
			throw new TemplateError(`more than ${lookupLimits.items} datastore items are read`);
		}
		this.#missingItems.set(key, read);
		return "";
	}
}

/**
 * Value of `svckv` in a template, and of its members. The first member is a scope; the others form the name of an item, which may contain
 * dots.
 */
export class DatastoreReference {
	readonly #datastore: Datastore;
	readonly #scopes: readonly DatastoreScope[];
	readonly #path: readonly string[];

	/** @param scopes scopes that may be read */
	constructor(datastore: Datastore, scopes: readonly DatastoreScope[], path: readonly string[] = []) {
		this.#datastore = datastore;
		this.#scopes = scopes;
		this.#path = path;
	}

	/** Returns a member. Returns undefined for a scope that does not exist or may not be read. */
	member(name: string): DatastoreReference | undefined {
		if (this.#path.length === 0 && !this.#scopes.some((scope) => scope === name)) return undefined;
		return new DatastoreReference(this.#datastore, this.#scopes, [...this.#path, name]);
	}

	/** Returns the value of the item, which is an empty string if the item does not exist; the reference itself if it names no item yet. */
	resolve(): string | this {
		const [scope, ...name] = this.#path;
		return name.length === 0 ? this : (this.#datastore.find(scope as DatastoreScope, name.join(".")) ?? "");
	}
}
