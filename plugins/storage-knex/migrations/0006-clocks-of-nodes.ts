import type { Migration } from "./migration.ts";

export const clocksOfNodes: Migration = {
	name: "0006-clocks-of-nodes",
	columns: { nodes: { clock_offset: "real" } },
};
