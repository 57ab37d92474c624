import { isDeepStrictEqual } from "node:util";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { AssertPermitted } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import { toPackAliasRights } from "./alias-rights.ts";
import type { Aliases, AliasInput } from "./aliases-api.ts";
import { checkAlias } from "./check-alias.ts";

export interface RegisterAliasOptions extends Uses<"storage"> {
	readonly aliases: Pick<Aliases, "create" | "update">;
	/** Whose the aliases of packs are. */
	readonly principal: Principal;
	readonly assertPermitted: AssertPermitted;
}

/**
 * Make an alias say what its file does. Whether it is enabled is for operators, once it is there: a start would undo what they did. What
 * `isOverridden` is their word already.
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
