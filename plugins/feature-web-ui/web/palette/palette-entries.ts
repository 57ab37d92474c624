import { toExecutionHref } from "../executions/execution-address.ts";
import { isOffered, type PageDefinition } from "../kit/page.ts";
import { matchPath, toHref } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import * as common from "../texts/common.ts";
import * as texts from "../texts/palette.ts";

/** A destination that the palette offers. */
export interface PaletteEntry {
	/** Kind of the destination: a page, a run, or the kind of a record. */
	readonly kind: string;
	readonly title: string;
	readonly href: string;
}

/** Maximum names that are read for each kind. */
const maxNames = 100;
const maxShown = 40;

interface RecordKind {
	readonly kind: string;
	readonly permission: string;
	/** Feature that the service must have, besides those that every service has. Default: none. */
	readonly feature?: string;
	/** Path of the page of a record, without the name. If there is no such page, entries link to the runs that `runFilter` selects. */
	readonly page: string;
	/** Filter of the list of runs that selects the runs of a record. */
	readonly runFilter?: string;
	names(signal: AbortSignal): Promise<readonly string[]>;
}

const refs = () => ({ include_attributes: "ref", limit: session.toLimit(maxNames) });
const toRefs = ({ items }: { readonly items: readonly { readonly ref: string }[] }) => items.map(({ ref }) => ref);

const recordKinds: readonly RecordKind[] = [
	{
		kind: common.action,
		permission: "action_list",
		page: "/actions",
		runFilter: "action",
		names: async (signal) => toRefs(await client.actions.list(refs(), { signal })),
	},
	{ kind: common.rule, permission: "rule_list", page: "/rules", names: async () => toRefs(await client.rules.list(refs())) },
	{ kind: common.pack, permission: "pack_list", page: "/packs", names: async () => toRefs(await client.packs.list(refs())) },
	{
		kind: common.triggerType,
		permission: "trigger_type_list",
		page: "/events/triggers",
		names: async () => toRefs(await client.triggers.types.list(refs())),
	},
	{ kind: common.policy, permission: "policy_list", page: "/policies", names: async () => toRefs(await client.policies.list(refs())) },
	{
		kind: common.alias,
		permission: "action_alias_list",
		feature: "aliases",
		page: "/aliases",
		names: async () => toRefs(await client.aliases.list(refs())),
	},
	{
		kind: common.datastoreItem,
		permission: "key_value_pair_list",
		page: "/datastore/system",
		names: async () => (await client.keys.list({ scope: "system", limit: session.toLimit(maxNames) })).items.map(({ name }) => name),
	},
	{
		kind: common.role,
		permission: "admin",
		page: "/access/roles",
		names: async () => (await client.roles.list()).items.map(({ name }) => name),
	},
];

/** Returns entries for the pages in the navigation that the user may see. */
export function toPageEntries(pages: readonly PageDefinition[]): readonly PaletteEntry[] {
	return pages.filter(isOffered).map(({ title, path }) => ({ kind: texts.page, title, href: toHref(path.replace(/\/:.*/, "")) }));
}

/**
 * Returns entries for the records that the user may list. Leaves out kinds whose records cannot be read, so that the palette still offers
 * the others.
 */
export async function readRecordEntries(pages: readonly PageDefinition[], signal: AbortSignal): Promise<readonly PaletteEntry[]> {
	const offered = recordKinds.filter(({ permission, feature }) => session.may(permission) && session.has(feature));
	const read = offered.map(async ({ kind, page, runFilter, names }) => {
		const hasPage = pages.some(({ path }) => matchPath(path, `${page}/name`) !== undefined);
		if (!hasPage && runFilter === undefined) return [];
		return (await names(signal)).map((title) => {
			const href = hasPage ? toHref(`${page}/${encodeURIComponent(title)}`) : toHref("/history", { [runFilter ?? ""]: title });
			return { kind: hasPage ? kind : texts.executionsOf(kind), title, href };
		});
	});
	return (await Promise.allSettled(read)).flatMap((settled) => (settled.status === "fulfilled" ? settled.value : []));
}

/**
 * Returns the entries that contain every word of the input. Those that begin with the input are first. If the input is an id, the result
 * contains the run with that id.
 */
export function findEntries(entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] {
	const wanted = text.trim().toLowerCase();
	const words = wanted.split(/\s+/).filter(Boolean);
	const found = entries.filter(({ kind, title }) => words.every((word) => `${kind} ${title}`.toLowerCase().includes(word)));
	const begins = ({ title }: PaletteEntry) => (title.toLowerCase().startsWith(wanted) ? 0 : 1);
	const sorted = [...found].sort((a, b) => begins(a) - begins(b));
	const run = /^[0-9a-f]{24}$/.test(wanted) ? [{ kind: common.execution, title: wanted, href: toExecutionHref(wanted) }] : [];
	return [...run, ...sorted].slice(0, maxShown);
}
