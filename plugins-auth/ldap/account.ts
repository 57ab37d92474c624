import { randomUUID } from "node:crypto";
import type { Logger } from "../../core/contract/index.ts";
import type { SearchQuery } from "./connection.ts";
import type { Directory, FoundEntry } from "./directory.ts";
import type { GroupCache } from "./group-cache.ts";
import { isMember } from "./membership.ts";
import type { Server } from "./server.ts";
import type { Settings } from "./settings.ts";

/** A user of the directory who has what `group_dns` asks for. The password is still to be verified. */
export interface Account {
	readonly dn: string;
	/** Holds the entry; the password is verified there. */
	readonly server: Server;
	readonly username: string;
	readonly groups: readonly string[];
}

export interface AccountContext {
	readonly settings: Settings;
	readonly groupCache: GroupCache;
	readonly logger: Logger;
}

/** Attributes of an entry: none. */
const noAttributes = "1.1";

/**
 * The account of a user name; undefined when nobody or more than one is meant, or a group is missing. Asks as much of the
 * directory either way, so that the time does not tell which it was.
 */
export async function findAccount(username: string, directory: Directory, context: AccountContext): Promise<Account | undefined> {
	const { settings, logger } = context;
	const filter = settings.accountFilter({ username });
	const found = await directory.search({ ...toQuery(settings, filter), base: settings.userBase, attributes: [settings.idAttribute] });
	if (found.length > 1) {
		logger.warn("sign-in refused: more than one entry of the directory matches", { user: username, entries: toNames(found) });
	}
	const only = found.length === 1 ? found[0] : undefined;
	const groups = await findGroups(username, only?.entry.dn, { ...context, directory });
	if (only === undefined) return undefined;
	if (!isMember(groups, settings.requirement)) {
		logger.warn("sign-in refused: not in the required groups", { user: username, required: settings.requiredGroups, groups });
		return undefined;
	}
	const { entry, server } = only;
	return { dn: entry.dn, server, username: toUsername(username, only, settings), groups };
}

/** A name in the place of users, that nobody has. Not of `id_attr`, which some directories do not allow in names. */
export function createNobody({ userBase }: Settings): string {
	return `cn=${randomUUID()},${userBase}`;
}

async function findGroups(
	username: string,
	dn: string | undefined,
	{ settings, groupCache, directory }: AccountContext & { readonly directory: Directory },
): Promise<readonly string[]> {
	const kept = groupCache.get(username, dn ?? "");
	if (kept !== undefined) return kept;
	const filter = settings.groupFilter({ username, user_dn: dn ?? createNobody(settings) });
	const found = await directory.search({ ...toQuery(settings, filter), base: settings.groupBase, attributes: [noAttributes] });
	const groups = toNames(found);
	groupCache.set(username, dn ?? "", groups);
	return groups;
}

function toQuery({ scope, client, timeout }: Settings, filter: string): Pick<SearchQuery, "scope" | "filter" | "timeLimit"> {
	return { scope, filter, timeLimit: client.timeLimit ?? Math.ceil(timeout / 1_000) };
}

function toNames(found: readonly FoundEntry[]): readonly string[] {
	return found.map(({ entry }) => entry.dn);
}

/**
 * As the directory spells it: it takes "Ann" for "ann" and looks past some characters, but roles and records must not fall
 * apart over that. A pattern of the site's own may look for something that is not the name.
 */
function toUsername(typed: string, { entry }: FoundEntry, { isFoundById, idAttribute }: Settings): string {
	if (!isFoundById) return typed;
	const [, value] = Object.entries(entry).find(([name]) => name.toLowerCase() === idAttribute.toLowerCase()) ?? [];
	const names = [value].flat().filter((name) => typeof name === "string" && name !== "") as readonly string[];
	const same = (name: string) => name.toLowerCase() === typed.toLowerCase();
	return names.find((name) => name === typed) ?? names.find(same) ?? names[0] ?? typed;
}
