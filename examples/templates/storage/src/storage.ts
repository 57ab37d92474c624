import { defineStorage, type Storage } from "svc-automation/contract";
import { memoryStorage } from "svc-automation/plugins/storage-memory";

/** Stores records in memory. Replace one method after another with calls of your database. */
export const templateName = defineStorage(
	"template-name",
	(): Storage => {
		const memory = memoryStorage().create();
		return {
			// Set `durable: true` once records survive a restart. The test then needs `reopen`.
			capabilities: { durable: false, shared: false },
			async start({ dataDirectory, logger }) {
				logger.debug("the storage starts", { data_directory: dataDirectory });
			},
			insert: (kind, entities) => memory.insert(kind, entities),
			get: (kind, id) => memory.get(kind, id),
			find: (kind, query) => memory.find(kind, query),
			count: (kind, where, limit) => memory.count(kind, where, limit),
			distinct: (kind, field, where) => memory.distinct(kind, field, where),
			update: (kind, id, patch, expected) => memory.update(kind, id, patch, expected),
			claim: (kind, query, patch) => memory.claim(kind, query, patch),
			remove: (kind, query) => memory.remove(kind, query),
			write: (operations) => memory.write(operations),
			async stop() {
				await memory.stop?.();
			},
		};
	},
	{ contract: 1 },
);
