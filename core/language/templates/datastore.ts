import { roomInTurn } from "../event-loop-budget.ts";
import { WorkBudget } from "../work-budget.ts";
import { TemplateError } from "./errors.ts";

export type DatastoreScope = "system" | "user";

/** What templates read of the datastore while they are rendered, which cannot wait. */
export interface Datastore {
	/** Text of an item; empty when there is none. */
	text(scope: DatastoreScope, name: string): string;
	/** Text of an item; undefined when there is none. */
	find(scope: DatastoreScope, name: string): string | undefined;
	/** Clear text of a secret item's text. */
	decrypt(cipherText: string): string;
	/** What templates may call it besides `svckv`. */
	readonly names?: readonly string[] | undefined;
}

/** Where the items come from. Asked once for each item of a rendering; what it rejects with is thrown where the item is used. */
export interface DatastoreAccess {
	/** Text of an item, for a secret one its cipher text; undefined when there is none. */
	lookup(scope: DatastoreScope, name: string): Promise<string | undefined>;
	decrypt(cipherText: string): Promise<string>;
	/** What templates may call the datastore besides `svckv`. Default: nothing else. */
	readonly names?: readonly string[] | undefined;
}

/** Whether templates mean the datastore by a name that stands for nothing else. */
export function isDatastoreName(name: string, { names = [] }: { readonly names?: readonly string[] | undefined }): boolean {
	return name === "svckv" || names.includes(name);
}

/** There is no item of any name. */
export const noItems: DatastoreAccess = {
	lookup: async () => undefined,
	async decrypt() {
		throw new TemplateError("there is nothing to decrypt");
	},
};

/** A datastore without items. */
export const emptyDatastore: Datastore = {
	text: () => "",
	find: () => undefined,
	decrypt() {
		throw new TemplateError("there is nothing to decrypt");
	},
};

/** How often one rendering may find that it needs more items, and how many it may read in all. */
const limits = { rounds: 50, items: 1_000 };

/**
 * Render with items of the datastore, although rendering is synchronous and reading them is not: `render` is called with a
 * datastore that notes what is asked for and not known yet, those are fetched, and it is called again until it knew them all.
 * What it returned or threw before then does not count, so it must have no side effects. Use it around anything that takes a
 * `Datastore`:
 *
 *     await renderWithLookups(access, (datastore) => renderLive({ ...input, datastore }));
 *     await renderWithLookups(access, (datastore) => template.render(toScope(values, datastore)));
 *
 * What comes from the datastore is put in as it is and never rendered itself.
 *
 * @param work what it may use; one of its own unless it is part of something larger
 */
export async function renderWithLookups<T>(
	access: DatastoreAccess,
	render: (datastore: Datastore) => T,
	work = new WorkBudget(),
): Promise<T> {
	return renderWithAllLookups([access], ([datastore]) => render(datastore as Datastore), work);
}

/** The same where templates of one rendering read by different permissions. */
export async function renderWithAllLookups<T>(
	accesses: readonly DatastoreAccess[],
	render: (datastores: readonly Datastore[]) => T,
	work = new WorkBudget(),
): Promise<T> {
	const items = accesses.map((access) => new FetchedItems(access));
	for (let round = 0; round < limits.rounds; round++) {
		await roomInTurn();
		const outcome = attempt(() => work.run(() => render(items)));
		if (!items.some(({ isIncomplete }) => isIncomplete)) return outcome();
		await Promise.all(items.map((fetched) => fetched.fetch()));
	}
	throw new TemplateError(`names of datastore items depend on one another more than ${limits.rounds} times in a row`);
}

/** What an action came to, to be had later: its result, or its error when it is asked for. */
function attempt<T>(action: () => T): () => T {
	try {
		const result = action();
		return () => result;
	} catch (error) {
		return () => {
			throw error;
		};
	}
}

/** The items known so far, and those still to be fetched. */
class FetchedItems implements Datastore {
	readonly #access: DatastoreAccess;
	// Made when the first is asked for: most templates read none.
	#known: Map<string, () => string | undefined> | undefined;
	#missing: Map<string, () => Promise<string | undefined>> | undefined;

	constructor(access: DatastoreAccess) {
		this.#access = access;
	}

	get names(): readonly string[] | undefined {
		return this.#access.names;
	}

	get isIncomplete(): boolean {
		return this.#missing !== undefined && this.#missing.size > 0;
	}

	text(scope: DatastoreScope, name: string): string {
		return this.find(scope, name) ?? "";
	}

	find(scope: DatastoreScope, name: string): string | undefined {
		// While a name is being fetched that another is made of.
		if (name === "") return "";
		return this.#get(`${scope}:${name}`, () => this.#access.lookup(scope, name));
	}

	decrypt(cipherText: string): string {
		return this.#get(`decrypt:${cipherText}`, () => this.#access.decrypt(cipherText)) ?? "";
	}

	/** Fetch what is missing. */
	async fetch(): Promise<void> {
		this.#known ??= new Map();
		const known = this.#known;
		const fetched = [...(this.#missing ?? [])].map(async ([key, read]) => {
			try {
				const text = await read();
				known.set(key, () => text);
			} catch (error) {
				known.set(key, () => {
					throw error;
				});
			}
		});
		this.#missing?.clear();
		await Promise.all(fetched);
	}

	#get(key: string, read: () => Promise<string | undefined>): string | undefined {
		const known = this.#known?.get(key);
		if (known !== undefined) return known();
		this.#missing ??= new Map();
		if ((this.#known?.size ?? 0) + this.#missing.size >= limits.items) {
			throw new TemplateError(`more than ${limits.items} datastore items are read`);
		}
		this.#missing.set(key, read);
		return "";
	}
}

/** `svckv` in a template, and what is reached by its members: a scope, then the name of an item, whose dots are members as well. */
export class DatastoreReference {
	readonly #datastore: Datastore;
	readonly #scopes: readonly DatastoreScope[];
	readonly #path: readonly string[];

	/** @param scopes those that may be read */
	constructor(datastore: Datastore, scopes: readonly DatastoreScope[], path: readonly string[] = []) {
		this.#datastore = datastore;
		this.#scopes = scopes;
		this.#path = path;
	}

	/** Undefined for a scope that does not exist or may not be read. */
	member(name: string): DatastoreReference | undefined {
		if (this.#path.length === 0 && !this.#scopes.some((scope) => scope === name)) return undefined;
		return new DatastoreReference(this.#datastore, this.#scopes, [...this.#path, name]);
	}

	/** Text of the item it stands for, or the reference itself while it lacks the name of one. */
	resolve(): string | this {
		const [scope, ...name] = this.#path;
		return name.length === 0 ? this : this.#datastore.text(scope as DatastoreScope, name.join("."));
	}
}
