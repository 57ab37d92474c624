import { SvcError } from "../contract/index.ts";

const namePattern = /^[A-Za-z0-9_.-]{1,255}$/;
const packPattern = /^[a-z0-9_]{1,255}$/;

/** Packs whose content belongs to the service. */
const systemPacks: ReadonlySet<string> = new Set(["core"]);

/** Refuse names that could not stand in a ref. */
export function assertNames({ pack, name }: { readonly pack: string; readonly name: string }): void {
	if (!packPattern.test(pack)) throw new SvcError("SVC_INVALID", `pack: "${pack}" must consist of a to z, 0 to 9 and _`);
	if (!namePattern.test(name)) throw new SvcError("SVC_INVALID", `name: "${name}" must consist of letters, digits, _, - and .`);
}

/** Refuse changes to what belongs to the service. */
export function assertNotSystem(pack: string): void {
	if (systemPacks.has(pack)) {
		throw new SvcError("SVC_INVALID", `pack: resources of the system pack "${pack}" cannot be created, changed or deleted`);
	}
}
