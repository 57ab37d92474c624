import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryBus } from "../../../plugins/event-bus-memory/index.ts";
import { natsBus } from "../../../plugins/event-bus-nats/index.ts";
import { postgresBus } from "../../../plugins/event-bus-postgres/index.ts";
import { knexStorage } from "../../../plugins/storage-knex/index.ts";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import type { EventBus, Storage } from "../../contract/index.ts";
import { sharedNatsUrl } from "../services/nats.test-support.ts";
import type { BackendName } from "./backend-names.test-support.ts";
import { takeEmptyDatabase } from "./empty-databases.test-support.ts";

/** Where records and events of a test are. */
export interface Place {
	/** Not started. */
	createStorage(): Storage;
	/** For one node. Not started. */
	createBus(): EventBus;
	/** Called before the first start. */
	prepare(): Promise<void>;
	/** Called after the last stop. */
	remove(): Promise<void>;
}

/** Name of a database file of SQLite that others are copies of, where the test run has made one. */
export const sqliteTemplateVariable = "SVC_TEST_SQLITE_TEMPLATE";

export const places: Readonly<Record<BackendName, () => Place>> = {
	memory: createMemory,
	sqlite: createSqlite,
	postgres: createPostgres,
	"postgres-nats": createPostgresWithNats,
};

function createMemory(): Place {
	// What it holds is gone with the instance, and a test may stop one node and start another.
	const storage = memoryStorage().create();
	return { createStorage: () => storage, createBus: memoryBus().create, prepare: async () => {}, remove: async () => {} };
}

function createSqlite(): Place {
	const directory = mkdtempSync(join(tmpdir(), "svc-backend-"));
	const file = join(directory, "svc.db");
	const template = process.env[sqliteTemplateVariable];
	return {
		createStorage: knexStorage({ client: "sqlite", file }).create,
		createBus: memoryBus().create,
		prepare: async () => {
			if (template) copyFileSync(template, file);
		},
		remove: async () => rmSync(directory, { recursive: true, force: true }),
	};
}

function createPostgres(): Place {
	const { url, create, giveBack } = takeEmptyDatabase();
	return {
		// Enough for statements that run side by side; each connection is a process of the server, which costs as much as fifty statements.
		createStorage: knexStorage({ client: "postgres", url, pool_size: 2 }).create,
		createBus: postgresBus({ url }).create,
		prepare: create,
		remove: giveBack,
	};
}

function createPostgresWithNats(): Place {
	const prefix = `svc.test.${randomBytes(6).toString("hex")}`;
	return { ...createPostgres(), createBus: natsBus({ servers: sharedNatsUrl(), subject_prefix: prefix }).create };
}
