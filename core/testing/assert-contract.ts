import * as assert from "node:assert/strict";
import { contractVersion } from "../contract/index.ts";

/** What the statement says that each kit has about it. */
export const contractStatement = "it is written for a version of the contract that the service knows";

/** Fails where a service would refuse the plugin. One that says nothing was written for the first version. */
export function assertKnownContract(contract: unknown = 1): void {
	if (contract === contractVersion) return;
	assert.fail(
		`it is written for contract version ${String(contract)}, and this svc has version ${contractVersion}: a service refuses it; ` +
			`hint: write { contract: ${contractVersion} } as the last argument of its define function, or test it with the svc that it is for`,
	);
}
