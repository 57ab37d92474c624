import { type RuleEntity, type Storage, toErrorMessage } from "../../contract/index.ts";
import type { ChangeFeed } from "../../kernel/work/change-feed.ts";
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

export function createRuleIndex({ storage, changes }: { readonly storage: Storage; readonly changes: ChangeFeed }): RuleIndex {
	let entries = new Map<string, Promise<Entry>>();
	/** Where several processes change rules, only the storage knows what there is. */
	const isShared = () => storage.capabilities.shared === true;
	/** What was compiled before a change, to be used again for rules that have not changed. */
	let outdated = new Map<string, Promise<Entry>>();
	changes.onChange(() => {
		outdated = entries;
		entries = new Map();
	});

	/** Read what is enabled, and compile what has changed. */
	async function read(trigger: string, earlier: Promise<Entry> | undefined): Promise<Entry> {
		const readAt = performance.now();
		const where = { trigger, enabled: true };
		const compiled = new Map((await earlier?.catch(() => undefined))?.rules.map((indexed) => [indexed.rule.revision, indexed]));
		const current = await storage.find("rule", { where, fields: ["revision"] });
		const changed = current.filter(({ revision }) => !compiled.has(revision)).map(({ id }) => id);
		const fresh = changed.length === 0 ? [] : await storage.find("rule", { where: { ...where, id: { in: changed } } });
		const rules = [
			...current.flatMap(({ revision }) => compiled.get(revision) ?? []),
			...fresh.map((rule) => ({ rule, criteria: toCriteria(rule) })),
		];
		return { readAt, rules: rules.sort((a, b) => (a.rule.ref < b.rule.ref ? -1 : 1)) };
	}

	function refresh(trigger: string): Promise<Entry> {
		const reading = read(trigger, entries.get(trigger) ?? outdated.get(trigger));
		if (entries.size >= limit) entries.clear();
		entries.set(trigger, reading);
		reading.catch(() => {
			if (entries.get(trigger) === reading) entries.delete(trigger);
		});
		return reading;
	}

	return {
		async rulesOf(trigger) {
			const kept = isShared() ? undefined : entries.get(trigger);
			return (await (kept ?? refresh(trigger))).rules;
		},
		async isListenedTo(trigger) {
			const kept = await entries.get(trigger);
			const isFresh = kept !== undefined && (!isShared() || performance.now() - kept.readAt < maximumAge);
			return (isFresh ? kept : await refresh(trigger)).rules.length > 0;
		},
	};
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
