import { type RuleEntity, type Storage, toErrorMessage } from "../../contract/index.ts";
import type { ChangeFeed } from "../../kernel/coordination/change-feed.ts";
import { singleFlight } from "../../lib/single-flight.ts";
import { type CompiledCriteria, compileCriteria } from "./criteria/index.ts";

/** A rule as it is used: with its criteria compiled. */
export interface IndexedRule {
	readonly rule: RuleEntity;
	readonly criteria: CompiledCriteria;
}

/** Finds the enabled rules of a trigger without looking at any other. */
export interface RuleIndex {
	/** Those that are stored at the time of the call, by ref. */
	rulesOf(trigger: string): Promise<readonly IndexedRule[]>;
	/** Whether there are any; for a moment it may not know of those another node has made. */
	isListenedTo(trigger: string): Promise<boolean>;
}

/** Triggers whose rules are kept compiled. */
const limit = 10_000;
/** Milliseconds for which another node's change may go unnoticed when its event is lost. */
const maximumAge = 1_000;

interface Entry {
	readonly rules: readonly IndexedRule[];
	readonly readAt: number;
}

/** Keeps the rules of triggers compiled, and reads of what may have changed no more than it must. */
export class StoredRuleIndex implements RuleIndex {
	readonly #storage: Storage;
	#entries = new Map<string, Promise<Entry>>();
	/** What was compiled before a change, to be used again for rules that have not changed. */
	#outdated = new Map<string, Promise<Entry>>();
	/** Reads that have begun: who asks now may want a rule that was stored after they did. */
	readonly #underWay = new Map<string, Promise<Entry>>();
	/** Reads that begin when those have ended, for all who ask until then. */
	readonly #next = new Map<string, Promise<Entry>>();

	constructor({ storage, changes }: { readonly storage: Storage; readonly changes: ChangeFeed }) {
		this.#storage = storage;
		changes.onChange(() => {
			this.#outdated = this.#entries;
			this.#entries = new Map();
		});
	}

	async rulesOf(trigger: string): Promise<readonly IndexedRule[]> {
		const kept = this.#isShared() ? undefined : this.#entries.get(trigger);
		return (await (kept ?? this.#readFromNow(trigger))).rules;
	}

	async isListenedTo(trigger: string): Promise<boolean> {
		const known = this.#entries.get(trigger);
		const kept = await known;
		const isFresh = kept !== undefined && (!this.#isShared() || performance.now() - kept.readAt < maximumAge);
		if (isFresh) return kept.rules.length > 0;
		// Of all who have found it too old one reads.
		const newer = this.#entries.get(trigger);
		return (await (newer === undefined || newer === known ? this.#refresh(trigger) : newer)).rules.length > 0;
	}

	/** Where several processes change rules, only the storage knows what there is. */
	#isShared(): boolean {
		return this.#storage.capabilities.shared === true;
	}

	/** What is stored now or later: of a burst of events one reads for all that have come while the read before was under way. */
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

	/** Read what is enabled, and compile what has changed. */
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

/** Criteria that cannot be read, as only another version of the service could have stored them, match nothing and say so. */
function toCriteria({ criteria }: RuleEntity): CompiledCriteria {
	try {
		return compileCriteria(criteria);
	} catch (error) {
		const failed = { key: "", operator: "", pattern: null, value: null };
		return { usesDatastore: false, evaluate: () => ({ matched: false, failed, error: toErrorMessage(error) }) };
	}
}
