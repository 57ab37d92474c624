import { type RuleEntity, type Storage, toErrorMessage } from "../../contract/index.ts";
import type { CacheInvalidation } from "../../kernel/coordination/cache-invalidation.ts";
import { singleFlight } from "../../lib/single-flight.ts";
import { type CompiledCriteria, compileCriteria } from "./criteria/index.ts";

/** A rule with its compiled criteria. */
export interface IndexedRule {
	readonly rule: RuleEntity;
	readonly criteria: CompiledCriteria;
}

/** Maximum number of triggers whose compiled rules are cached. */
const limit = 10_000;
/** Milliseconds for which a change by another node may go unnoticed if its event is lost. */
const maximumAge = 1_000;

interface Entry {
	readonly rules: readonly IndexedRule[];
	readonly readAt: number;
}

/** Index of the enabled rules by trigger. Caches compiled rules; after a change, reads and compiles only the rules that have changed. */
export class RuleIndex {
	readonly #storage: Storage;
	#entries = new Map<string, Promise<Entry>>();
	/** Entries from before the last change. Compiled rules that have not changed are reused. */
	#outdated = new Map<string, Promise<Entry>>();
	/** Running reads. A later caller cannot use their result: it may need a rule that was stored after the read started. */
	readonly #underWay = new Map<string, Promise<Entry>>();
	/** Reads that start when the running reads have ended. All callers until then share them. */
	readonly #next = new Map<string, Promise<Entry>>();

	constructor({ storage, changes }: { readonly storage: Storage; readonly changes: CacheInvalidation }) {
		this.#storage = storage;
		changes.onChange(() => {
			this.#outdated = this.#entries;
			this.#entries = new Map();
		});
	}

	/** Returns the enabled rules that are stored at the time of the call, sorted by ref. */
	async rulesOf(trigger: string): Promise<readonly IndexedRule[]> {
		const kept = this.#isShared() ? undefined : this.#entries.get(trigger);
		return (await (kept ?? this.#readFromNow(trigger))).rules;
	}

	/** Returns true if the trigger has enabled rules. Rules that another node created may be missed for up to one second. */
	async isListenedTo(trigger: string): Promise<boolean> {
		const known = this.#entries.get(trigger);
		const kept = await known;
		const isFresh = kept !== undefined && (!this.#isShared() || performance.now() - kept.readAt < maximumAge);
		if (isFresh) return kept.rules.length > 0;
		// Only one of the concurrent callers reads an outdated entry; the others use its read.
		const newer = this.#entries.get(trigger);
		return (await (newer === undefined || newer === known ? this.#refresh(trigger) : newer)).rules.length > 0;
	}

	/** Returns true if other processes may change rules, so that a cached entry may be outdated. */
	#isShared(): boolean {
		return this.#storage.capabilities.shared === true;
	}

	/** Returns an entry read after the call. Callers during a running read share the next one, so a burst of events needs few reads. */
	#readFromNow(trigger: string): Promise<Entry> {
		const underWay = this.#underWay.get(trigger);
		if (underWay === undefined) return this.#refresh(trigger);
		const begin = () => {
			this.#next.delete(trigger);
			return this.#refresh(trigger);
		};
		return singleFlight(this.#next, trigger, { read: () => underWay.then(begin, begin) });
	}

	#refresh(trigger: string): Promise<Entry> {
		const reading = this.#read(trigger, this.#entries.get(trigger) ?? this.#outdated.get(trigger));
		const entries = this.#entries;
		if (entries.size >= limit) entries.clear();
		entries.set(trigger, reading);
		this.#underWay.set(trigger, reading);
		const end = () => {
			if (this.#underWay.get(trigger) === reading) this.#underWay.delete(trigger);
		};
		reading.then(end, () => {
			end();
			if (entries.get(trigger) === reading) entries.delete(trigger);
		});
		return reading;
	}

	/** Reads the enabled rules and compiles the changed ones. */
	async #read(trigger: string, earlier: Promise<Entry> | undefined): Promise<Entry> {
		const readAt = performance.now();
		const where = { trigger, enabled: true };
		const compiled = new Map((await earlier?.catch(() => undefined))?.rules.map((indexed) => [indexed.rule.revision, indexed]));
		const current = await this.#storage.find("rule", { where, fields: ["revision"] });
		const changed = current.filter(({ revision }) => !compiled.has(revision)).map(({ id }) => id);
		const fresh = changed.length === 0 ? [] : await this.#storage.find("rule", { where: { ...where, id: { in: changed } } });
		const rules = [
			...current.flatMap(({ revision }) => compiled.get(revision) ?? []),
			...fresh.map((rule) => ({ rule, criteria: toCriteria(rule) })),
		];
		return { readAt, rules: rules.sort((a, b) => (a.rule.ref < b.rule.ref ? -1 : 1)) };
	}
}

/**
 * Compiles the criteria of a rule. Invalid criteria, which another version of the service may have stored, never match; their evaluation
 * returns the error.
 */
function toCriteria({ criteria }: RuleEntity): CompiledCriteria {
	try {
		return compileCriteria(criteria);
	} catch (error) {
		const failed = { key: "", operator: "", pattern: null, value: null };
		return { usesDatastore: false, evaluate: () => ({ matched: false, failed, error: toErrorMessage(error) }) };
	}
}
