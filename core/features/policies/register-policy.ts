import { isDeepStrictEqual } from "node:util";
import type { Storage } from "../../contract/index.ts";
import { checkPolicy } from "./check-policy.ts";
import type { Policies, PolicyInput } from "./policies-api.ts";

/** Make a policy say what its file does. Whether it is enabled is for operators, once it is there: a start would undo what they did. */
export async function registerPolicy(storage: Storage, policies: Policies, input: PolicyInput): Promise<void> {
	const [known] = await storage.find("policy", { where: { ref: `${input.pack}.${input.name}` }, limit: 1 });
	if (known === undefined) {
		await policies.create(input);
		return;
	}
	const { enabled } = known;
	if (!isDeepStrictEqual({ ...known, ...checkPolicy({ ...input, enabled }) }, known))
		await policies.update(known.ref, { ...input, enabled });
}
