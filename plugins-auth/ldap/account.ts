import { randomUUID } from "node:crypto";
import type { Logger } from "../../core/contract/index.ts";
import type { SearchQuery } from "./connection.ts";
import type { Directory, FoundEntry } from "./directory.ts";
import { createVerificationError } from "./directory-failure.ts";
import { parseDn } from "./dn.ts";
import { escapeValue } from "./filter-template.ts";
import type { GroupCache } from "./group-cache.ts";
import { isMember } from "./membership.ts";
import type { Server } from "./server.ts";
import type { Settings } from "./settings.ts";

/** A user of the directory who is in the required groups. The password is not verified yet. */
export interface Account {
	readonly dn: string;
	/** Server that holds the entry and verifies the password. */
	readonly server: Server;
	readonly username: string;
	readonly groups: readonly string[];
}

export interface AccountContext {
	readonly settings: Settings;
	readonly groupCache: GroupCache;
	readonly logger: Logger;
}

/** Value that requests no attributes of an entry. */
const noAttributes = "1.1";

/**
 * Returns the account of a username. Returns undefined if no entry or several entries match, or if the user is not in the required groups.
 * Queries the groups in all cases, so that the duration does not reveal the reason.
 */
export async function findAccount(username: string, directory: Directory, context: AccountContext): Promise<Account | undefined> {
	const { settings, logger } = context;
	const filter = settings.accountFilter({ username });
	const query = { ...toQuery(settings, filter), base: settings.userBase, attributes: [settings.idAttribute] };
	const { entries: found } = await directory.search(query);
	if (found.length > 1) {
		logger.warn("sign-in refused: more than one directory entry matches", { user: username, entries: toNames(found) });
	}
	const only = found.length === 1 ? found[0] : undefined;
	const groups = await findGroups(username, only?.entry.dn, { ...context, directory });
	if (only === undefined) return undefined;
	if (!isMember(groups, settings.requirement)) {
		logger.warn("sign-in refused: user is not in the required groups", { user: username, required: settings.requiredGroups, groups });
		return undefined;
	}
	const { entry, server } = only;
	return { dn: entry.dn, server, username: toUsername(username, only, settings), groups };
}

/**
 * Returns a distinguished name below the user base that does not exist. It begins with `cn`, because some directories do not allow
 * `id_attr` in names.
 */
export function createNobody({ userBase }: Settings): string {
	return `cn=${randomUUID()},${userBase}`;
}

type GroupContext = AccountContext & { readonly directory: Directory };

async function findGroups(username: string, dn: string | undefined, context: GroupContext): Promise<readonly string[]> {
	const { settings, groupCache, logger } = context;
	const kept = groupCache.get(username, dn ?? "");
	if (kept !== undefined) return kept;
	const filter = settings.groupFilter({ username, user_dn: dn ?? createNobody(settings) });
	const { groups: direct, isCut } = await searchGroups(filter, context);
	const groups = [...direct, ...(isCut ? await searchRequired(filter, direct, context) : [])];
	if (isCut) logger.warn("the directory does not return all groups of a user, so roles may be missing", { user: username });
	const all = settings.nestedGroups ? await addNested(groups, context) : groups;
	groupCache.set(username, dn ?? "", all);
	return all;
}

interface FoundGroups {
	readonly groups: readonly string[];
	readonly isCut: boolean;
}

async function searchGroups(filter: string, { settings, directory }: GroupContext): Promise<FoundGroups> {
	const query = { ...toQuery(settings, filter), base: settings.groupBase, attributes: [noAttributes], allowsCut: true };
	const { entries, isCut } = await directory.search(query);
	return { groups: toNames(entries), isCut };
}

/**
 * Returns the required groups that contain the user but are not in `found`. Considers only groups that are configured by their full DN,
 * and searches each one by it, so that no size limit of the server applies.
 */
async function searchRequired(filter: string, found: readonly string[], { settings, directory }: GroupContext): Promise<readonly string[]> {
	const names = new Set(found.map((name) => name.toLowerCase()));
	const isFull = (name: string) => (parseDn(name)?.length ?? 0) > 1;
	const groups: string[] = [];
	for (const base of settings.requiredGroups.filter((name) => isFull(name) && !names.has(name.toLowerCase()))) {
		const { entries } = await directory.search({ ...toQuery(settings, filter), base, scope: "base", attributes: [noAttributes] });
		groups.push(...toNames(entries));
	}
	return groups;
}

/** Maximum number of groups in one query. */
const nestedBatch = 50;
const maxNestedDepth = 10;
const maxNestedGroups = 2_000;

/**
 * Adds the groups that contain one of these groups, and recursively the groups that contain those. Active Directory can do this in one
 * search if `group_pattern` uses its matching rule.
 */
async function addNested(direct: readonly string[], context: GroupContext): Promise<readonly string[]> {
	const all = new Map(direct.map((name) => [name.toLowerCase(), name]));
	// Also query the directory for a user without groups, so that the duration does not reveal that.
	let next: readonly string[] = direct.length > 0 ? direct : [createNobody(context.settings)];
	for (let depth = 0; next.length > 0 && depth < maxNestedDepth; depth += 1) {
		const found: string[] = [];
		for (let index = 0; index < next.length; index += nestedBatch) {
			const members = next.slice(index, index + nestedBatch).map(escapeValue);
			const filter = `(|${members.map((member) => `(member=${member})(uniqueMember=${member})`).join("")})`;
			found.push(...(await searchGroups(filter, context)).groups);
		}
		next = found.filter((name) => !all.has(name.toLowerCase()));
		for (const name of next) all.set(name.toLowerCase(), name);
		if (all.size > maxNestedGroups)
			throw createVerificationError(`a user is in more than ${maxNestedGroups} groups, including nested groups`);
	}
	return [...all.values()];
}

function toQuery({ scope, client, timeout }: Settings, filter: string): Pick<SearchQuery, "scope" | "filter" | "timeLimit"> {
	return { scope, filter, timeLimit: client.timeLimit ?? Math.ceil(timeout / 1_000) };
}

function toNames(found: readonly FoundEntry[]): readonly string[] {
	return found.map(({ entry }) => entry.dn);
}

/**
 * Returns the username as spelled in the directory. The directory treats "Ann" and "ann" as equal and ignores some characters, but one user
 * must not get several sets of roles and records. A custom pattern may match another attribute than the name; then the typed name is used.
 */
function toUsername(typed: string, { entry }: FoundEntry, { isFoundById, idAttribute }: Settings): string {
	if (!isFoundById) return typed;
	const [, value] = Object.entries(entry).find(([name]) => name.toLowerCase() === idAttribute.toLowerCase()) ?? [];
	const names = [value].flat().filter((name) => typeof name === "string" && name !== "") as readonly string[];
	const same = (name: string) => name.toLowerCase() === typed.toLowerCase();
	return names.find((name) => name === typed) ?? names.find(same) ?? names[0] ?? typed;
}
