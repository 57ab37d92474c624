import { isDeepStrictEqual } from "node:util";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { AssertPermitted } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { toPackAliasRights } from "./alias-rights.ts";
import type { Aliases, AliasInput } from "./aliases-api.ts";
import { checkAlias } from "./check-alias.ts";

export interface RegisterAliasOptions extends Uses<"storage"> {
	readonly aliases: Pick<Aliases, "create" | "update">;
	/** Author of the aliases of packs. */
	readonly principal: Principal;
	readonly assertPermitted: AssertPermitted;
}

/**
 * Creates or updates an alias from its file. `enabled` of an existing alias is kept, because a start would otherwise undo a change by
 * operators. With `isOverridden`, `enabled` comes from an operator and is always stored.
 */
export async function registerAlias(
	{ storage, aliases, principal, assertPermitted }: RegisterAliasOptions,
	input: AliasInput,
	isOverridden: boolean,
): Promise<void> {
	const pack = input.pack ?? "default";
	const [known] = await storage.find("action_alias", { where: { ref: `${pack}.${input.name}` }, limit: 1 });
	if (known === undefined) {
		assertPermitted(toPackAliasRights(input, pack));
		await aliases.create(input, principal);
		return;
	}
	const { enabled = true } = isOverridden ? input : known;
	if (isDeepStrictEqual({ ...known, ...checkAlias({ ...input, enabled }, pack), author: principal.username, scopes: null }, known)) return;
	assertPermitted(toPackAliasRights(input, pack));
	await aliases.update(known.ref, { ...input, enabled }, principal);
}
