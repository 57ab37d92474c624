import * as assert from "node:assert/strict";
import { contractVersion } from "../contract/index.ts";

/** Statement that each kit checks: the service supports the contract version of the plugin. */
export const contractStatement = "it requires a contract version that the service supports";

/** Fails if a service would refuse the plugin because of its contract version. A plugin without a version was written for version 1. */
export function assertKnownContract(contract: unknown = 1): void {
	if (contract === contractVersion) return;
	assert.fail(
		`it requires contract version ${String(contract)}, but this svc has version ${contractVersion}: a service refuses it; ` +
			`hint: write { contract: ${contractVersion} } as the last argument of its define function, or test it with the svc that it is for`,
	);
}
