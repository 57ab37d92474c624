import { pick, type Random } from "../../core/testing/guarantees/random.test-support.ts";

/** Names by which records can be asked for again. */
const identities = ["id", "ref", "name", "url"] as const;
const newest = 30;

/** A name that a request got from the memory. */
export interface NameUse {
	readonly kind: string;
	readonly name: string;
}

/** Ids and refs of what the service has made, by the first segment of the path. What is stored is asked for again by later requests. */
export class Memory {
	readonly #names = new Map<string, string[]>();
	#used: NameUse[] = [];
	readonly #kept: ReadonlySet<string>;

	/** @param kept what the test itself needs, and nobody may change */
	constructor(kept: readonly string[]) {
		this.#kept = new Set(kept);
	}

	/** Look through an answer, or a list of them; the names that are in it. What comes with the service cannot be changed. */
	learn(path: string, answer: unknown): readonly string[] {
		const learned: string[] = [];
		for (const record of [answer].flat().slice(-newest)) {
			if (typeof record !== "object" || record === null) continue;
			const values = identities.map((identity) => (record as Readonly<Record<string, unknown>>)[identity]);
			const texts = values.filter((value) => typeof value === "string");
			if (texts.length === 0 || texts.some((text) => this.#kept.has(text) || text.startsWith("core."))) continue;
			this.#add(kindOf(path), texts.slice(0, 2));
			learned.push(...texts);
		}
		return learned;
	}

	/** A name of this kind; undefined while there is none. */
	any(random: Random, kind: string): string | undefined {
		const names = this.#names.get(kind) ?? [];
		return names.length === 0 ? undefined : this.#use(kind, choose(random, names));
	}

	/** A ref, or another name that is no id. */
	anyRef(random: Random, kind: string): string | undefined {
		const refs = (this.#names.get(kind) ?? []).filter((name) => !/^[0-9a-f]{24}$/.test(name));
		return refs.length === 0 ? undefined : this.#use(kind, choose(random, refs));
	}

	/** The name of this kind that was learned last. */
	last(kind: string): string | undefined {
		return this.#names.get(kind)?.at(-1);
	}

	has({ kind, name }: NameUse): boolean {
		return this.#names.get(kind)?.includes(name) ?? false;
	}

	/** The names that were given away since this was asked last. */
	takeUsed(): readonly NameUse[] {
		const used = this.#used;
		this.#used = [];
		return used;
	}

	/** The newest ones of this kind. */
	some(kind: string, count: number): readonly string[] {
		return (this.#names.get(kind) ?? []).slice(-count);
	}

	#use(kind: string, name: string): string {
		this.#used.push({ kind, name });
		return name;
	}

	#add(kind: string, names: readonly string[]): void {
		const known = (this.#names.get(kind) ?? []).filter((name) => !names.includes(name));
		this.#names.set(kind, [...known, ...names].slice(-newest));
	}
}

/** The newest one as often as all others: what one request stored is used by the next. */
function choose(random: Random, names: readonly string[]): string {
	return random(2) === 0 ? (names.at(-1) ?? "") : pick(random, names);
}

/** What a path is about: its first segment behind the version. */
export function kindOf(path: string): string {
	return path.replace(/^\/(?:auth\/|stream\/)?v1/, "").split(/[/?]/)[1] ?? "";
}
