import { getContractVersion } from "../contract/contract-version.ts";
import { assertKnownContract, contractStatement } from "./assert-contract.ts";
import type { Check, OpenedStorage } from "./storage/check.ts";
import { checkClaims } from "./storage/claims.ts";
import { checkConditions } from "./storage/conditions.ts";
import { checkDurability } from "./storage/durability.ts";
import { checkQueries } from "./storage/queries.ts";
import { checkTime } from "./storage/time.ts";
import { checkUpdates } from "./storage/updates.ts";
import { checkValues } from "./storage/values.ts";
import { checkWrites } from "./storage/writes.ts";
import { guardTests } from "./test-guard.ts";

export type { OpenedStorage } from "./storage/check.ts";

/** Options of the conformance suite for storages. */
export interface StorageSuiteOptions {
	/** Registers one test. Accepts the `test` function of uvu or of node:test. */
	readonly test: (name: string, run: () => Promise<void>) => void;
	/** Prefix of every test name. */
	readonly name: string;
	/** Creates an empty, started storage. The suite stops it. */
	readonly create: () => Promise<OpenedStorage>;
}

/** Registers the conformance suite of `Storage`: one test for each promise of the contract. */
export function testStorage({ name, create, ...given }: StorageSuiteOptions): void {
	const test = guardTests(given.test);
	const check: Check = (statement, run) =>
		test(`${name}: ${statement}`, async () => {
			const opened = await create();
			try {
				await run(opened.storage, opened);
			} finally {
				await opened.stop();
			}
		});
	check(contractStatement, async (storage) => assertKnownContract(getContractVersion(storage)));
	checkWrites(check);
	checkUpdates(check);
	checkClaims(check);
	checkConditions(check);
	checkQueries(check);
	checkValues(check);
	checkDurability(check);
	checkTime(check);
}
