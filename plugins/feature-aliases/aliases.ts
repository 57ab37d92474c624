import { isSvcError, SvcError } from "../../core/contract/index.ts";
import {
	assertNotSystemPack,
	createBoundedRegExp,
	createId,
	isId,
	type Page,
	type Paging,
	type Principal,
	readPage,
	toAuthorship,
	toInCondition,
	type Uses,
	withWorkBudget,
} from "../../core/feature.ts";
import type { AliasExecutions } from "./alias-executions.ts";
import { toAliasFields } from "./alias-fields.ts";
import { matchAliases, matchFormat } from "./alias-matching.ts";
import { type AliasSecrets, withoutMask } from "./alias-secrets.ts";
import type { Aliases, AliasFilter, AliasHelp, AliasInput, AliasMatch } from "./aliases-exports.ts";
import type { ActionAliasEntity } from "./entities.ts";

export interface AliasesDependencies extends Uses<"storage" | "clock"> {
	readonly secrets: AliasSecrets;
	readonly executions: AliasExecutions;
	/** Creates or updates the rule that delivers answers to chats. */
	readonly answer: () => Promise<void>;
}

const byName = [
	["pack", "asc"],
	["name", "asc"],
] as const;

/** Action aliases in the storage. */
export class StoredAliases implements Aliases {
	readonly #parts: AliasesDependencies;

	constructor(parts: AliasesDependencies) {
		this.#parts = parts;
	}

	list(filter: AliasFilter, { orderBy = byName, ...paging }: Parameters<Aliases["list"]>[1]): Promise<Page<ActionAliasEntity>> {
		return readPage(this.#parts.storage, "action_alias", { where: toWhere(filter), orderBy, ...paging });
	}

	async get(refOrId: string): Promise<ActionAliasEntity> {
		const { storage } = this.#parts;
		const [byRef] = await storage.find("action_alias", { where: { ref: refOrId }, limit: 1 });
		const found = byRef ?? (isId(refOrId) ? await storage.get("action_alias", refOrId) : undefined);
		if (found === undefined) throw unknown(refOrId);
		return found;
	}

	async create(input: AliasInput, principal: Principal): Promise<ActionAliasEntity> {
		const { storage, clock } = this.#parts;
		const pack = input.pack ?? "default";
		assertNotSystemPack(pack);
		const fields = toAliasFields(input, pack);
		withoutMask(fields.immutable_parameters);
		const alias = { id: createId(clock), ...fields, ...toAuthorship(principal) };
		await this.#parts.answer();
		await storage.insert("action_alias", [alias]).catch((error: unknown) => this.#toDuplicate(error, fields.ref));
		return alias;
	}

	async update(refOrId: string, input: AliasInput, principal: Principal): Promise<ActionAliasEntity> {
		const { storage, secrets } = this.#parts;
		const old = await this.get(refOrId);
		const pack = input.pack ?? old.pack;
		assertNotSystemPack(old.pack);
		assertNotSystemPack(pack);
		const fields = toAliasFields(input, pack);
		const immutable_parameters = await secrets.restore(fields, old, principal);
		const patch = { ...fields, immutable_parameters, ...toAuthorship(principal) };
		const updated = await storage.update("action_alias", old.id, patch).catch((error: unknown) => this.#toDuplicate(error, fields.ref));
		if (updated === undefined) throw unknown(refOrId);
		return updated;
	}

	async switch(refOrId: string, enabled: boolean): Promise<ActionAliasEntity> {
		const { id, pack } = await this.get(refOrId);
		assertNotSystemPack(pack);
		const switched = await this.#parts.storage.update("action_alias", id, { enabled });
		if (switched === undefined) throw unknown(refOrId);
		return switched;
	}

	async remove(refOrId: string): Promise<void> {
		const { id, pack } = await this.get(refOrId);
		assertNotSystemPack(pack);
		await this.#parts.storage.remove("action_alias", { where: { id } });
	}

	mask(aliases: readonly ActionAliasEntity[]): Promise<readonly ActionAliasEntity[]> {
		return this.#parts.secrets.mask(aliases);
	}

	async help({ pack, filter, ...paging }: Parameters<Aliases["help"]>[0]): Promise<Page<AliasHelp>> {
		const { items } = await this.list({ enabled: true, ...(pack !== undefined && { pack }) }, {});
		return toHelp(items, filter, paging);
	}

	async match(command: string, mayName: (alias: ActionAliasEntity) => boolean = () => true): Promise<AliasMatch> {
		const { items } = await this.list({ enabled: true }, {});
		return matchAliases(items, command, mayName);
	}

	async read({ name, format, command }: Parameters<Aliases["read"]>[0]): Promise<AliasMatch> {
		return matchFormat(await this.#named(name, format), format, command);
	}

	execute(...[match, origin, principal]: Parameters<Aliases["execute"]>): ReturnType<Aliases["execute"]> {
		return this.#parts.executions.start(match, origin, principal);
	}

	/**
	 * Returns the alias with this name or ref. If several packs have an enabled alias of that name, returns the one that has the format.
	 */
	async #named(name: string, format: string): Promise<ActionAliasEntity> {
		const { storage } = this.#parts;
		const found = await storage.find("action_alias", { where: { name }, orderBy: byName });
		if (found.length === 0) found.push(...(await storage.find("action_alias", { where: { ref: name }, limit: 1 })));
		if (found.length === 0) throw unknown(name);
		const enabled = found.filter((alias) => alias.enabled);
		if (enabled.length === 0) throw new SvcError("SVC_INVALID", `name: action alias "${name}" is disabled`);
		const fitting = enabled.length === 1 ? enabled : enabled.filter((alias) => hasFormat(alias, format));
		const [only, ...others] = fitting;
		if (only !== undefined && others.length === 0) return only;
		const refs = enabled.map(({ ref }) => ref).join(", ");
		throw new SvcError("SVC_INVALID", `name: several packs have an action alias "${name}" (${refs}); give the ref`);
	}

	async #toDuplicate(error: unknown, ref: string): Promise<never> {
		if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		const [existing] = await this.#parts.storage.find("action_alias", { where: { ref }, fields: ["id"], limit: 1 });
		throw new SvcError("SVC_CONFLICT", `Tried to save duplicate unique keys: action alias "${ref}" exists`, {
			cause: error,
			facts: { conflict_id: existing?.id ?? null },
		});
	}
}

function hasFormat({ formats }: ActionAliasEntity, format: string): boolean {
	return formats.some(
		(known) => known === format || (typeof known === "object" && (known.display === format || known.representation.includes(format))),
	);
}

function unknown(refOrName: string): SvcError {
	return new SvcError("SVC_NOT_FOUND", `action alias "${refOrName}" cannot be found`);
}

function toWhere({ id, name, pack, enabled }: AliasFilter) {
	return {
		...(id !== undefined && { id: toInCondition(id) }),
		...(name !== undefined && { name: toInCondition(name) }),
		...(pack !== undefined && { pack }),
		...(enabled !== undefined && { enabled }),
	};
}

/** Returns the list of commands: a line for each format with a display string. `filter` is a case-insensitive regular expression. */
function toHelp(aliases: readonly ActionAliasEntity[], filter: string | undefined, { limit, offset = 0 }: Paging): Page<AliasHelp> {
	const lines = aliases.flatMap(({ pack, description, formats }) =>
		formats.map((format) => ({ pack, display: typeof format === "string" ? format : format.display, description })),
	);
	const shown = lines.filter(({ display }) => display !== "");
	const fits = toFilter(filter);
	const items = withWorkBudget(() => shown.filter(({ display }) => fits(display)));
	return { items: items.slice(offset, limit === undefined ? undefined : offset + limit), total: items.length };
}

function toFilter(filter: string | undefined): (display: string) => boolean {
	if (filter === undefined) return () => true;
	try {
		const expression = createBoundedRegExp(filter, "i");
		return (display) => expression.test(display);
	} catch (cause) {
		throw new SvcError("SVC_INVALID", "filter: must be a regular expression", { cause });
	}
}
