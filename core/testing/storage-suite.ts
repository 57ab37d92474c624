import { getContractVersion } from "../contract/contract-version.ts";
import { assertKnownContract, contractStatement } from "./assert-contract.ts";
import { asStatements } from "./statement.ts";
import type { Check, OpenedStorage } from "./storage/check.ts";
import { checkClaims } from "./storage/claims.ts";
import { checkConditions } from "./storage/conditions.ts";
import { checkDurability } from "./storage/durability.ts";
import { checkQueries } from "./storage/queries.ts";
import { checkTime } from "./storage/time.ts";
import { checkUpdates } from "./storage/updates.ts";
import { checkValues } from "./storage/values.ts";
import { checkWrites } from "./storage/writes.ts";

export type { OpenedStorage } from "./storage/check.ts";

/** What the suite for storages needs. */
export interface StorageSuiteOptions {
	/** Registers one test; `test` of uvu and of node:test both fit. */
	readonly test: (name: string, run: () => Promise<void>) => void;
	/** Stands in front of every test name. */
	readonly name: string;
	/** A fresh, empty, started storage. The suite stops it. */
	readonly create: () => Promise<OpenedStorage>;
}

/** Conformance suite of `Storage`: one promise of the contract a test. */
export function testStorage({ name, create, ...given }: StorageSuiteOptions): void {
	const test = asStatements(given.test);
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
