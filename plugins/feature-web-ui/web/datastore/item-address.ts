import type { KeyRecord } from "../../../_shipped/client.ts";
import { toHref, toPath } from "../kit/router.ts";
import { session } from "../kit/service.ts";

/** Scopes of the datastore, as in the address of the page. */
export type ScopeName = "system" | "user";

/** User who owns an item; undefined for the signed-in user. */
export type Owner = string | undefined;

export function toItemHref(item: Pick<KeyRecord, "name" | "scope" | "user">): string {
	const scope = toScopeName(item.scope);
	const user = item.user === session.user.value?.username ? undefined : item.user;
	return toHref(toPath("/datastore/:scope/:name", { scope, name: item.name }), { user });
}

export function toScopeName(scope: string): ScopeName {
	return scope.replace("svckv.", "") === "user" ? "user" : "system";
}

/**
 * Returns true if the user may perform this operation on an item or, without a name, on at least one item. Users need no permission for
 * their own items.
 */
export function mayDo(verb: "view" | "set" | "delete", scope: ScopeName, name?: string): boolean {
	return scope === "user" || session.may(`key_value_pair_${verb}`, name === undefined ? undefined : `key_value_pair:svckv.system:${name}`);
}

/** Returns true if the user may read secrets in plain text. */
export function mayDecrypt(scope: ScopeName): boolean {
	return scope === "user" || session.may("admin");
}
