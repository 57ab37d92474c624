import { isDeepStrictEqual } from "node:util";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import type { AssertPermitted } from "../../kernel/basics/permission-types.ts";
import { checkPolicy } from "./check-policy.ts";
import type { Policies, PolicyInput } from "./policies-api.ts";
import { toPolicyRights } from "./policy-rights.ts";

export interface RegisterPolicyOptions extends Uses<"storage"> {
	readonly policies: Policies;
	readonly assertPermitted: AssertPermitted;
}

/** Make a policy say what its file does. Whether it is enabled is for operators, once it is there: a start would undo what they did. */
export async function registerPolicy({ storage, policies, assertPermitted }: RegisterPolicyOptions, input: PolicyInput): Promise<void> {
	const [known] = await storage.find("policy", { where: { ref: `${input.pack}.${input.name}` }, limit: 1 });
	if (known === undefined) {
		assertPermitted(toPolicyRights("create", input));
		await policies.create(input);
		return;
	}
	const { enabled } = known;
	if (isDeepStrictEqual({ ...known, ...checkPolicy({ ...input, enabled }) }, known)) return;
	assertPermitted([...toPolicyRights("modify", known), ...toPolicyRights("modify", input)]);
	await policies.update(known.ref, { ...input, enabled });
}
