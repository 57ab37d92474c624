import { type PlannedDatabase, planTestDatabase } from "../services/postgres.test-support.ts";

/** A database without records, whose address is known before there is one. */
export interface EmptyDatabase {
	readonly url: string;
	create(): Promise<void>;
	/** When nobody is connected any more. */
	giveBack(): Promise<void>;
}

// To empty a database costs a tenth of what it costs to make one, and tests need one after another.
const unused: PlannedDatabase[] = [];

/** One that a test before has given back, or one that is still to be made. */
export function takeEmptyDatabase(): EmptyDatabase {
	const known = unused.pop();
	const database = known ?? planTestDatabase();
	let isMade = known !== undefined;
	return {
		url: database.url,
		async create() {
			if (isMade) return;
			await database.create();
			isMade = true;
		},
		async giveBack() {
			if (!isMade) return;
			await database.empty();
			unused.push(database);
		},
	};
}

process.on("beforeExit", () => {
	if (unused.length > 0) void dropUnused();
});

async function dropUnused(): Promise<void> {
	for (const database of unused.splice(0)) await database.drop();
}
