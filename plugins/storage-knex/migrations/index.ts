import { executionsAndCatalog } from "./0001-executions-and-catalog.ts";
import { accessControl } from "./0002-access-control.ts";
import { triggersAndDatastore } from "./0003-triggers-and-datastore.ts";
import { nodesAndPolicies } from "./0004-nodes-and-policies.ts";
import { lockedDoors } from "./0005-locked-doors.ts";
import { clocksOfNodes } from "./0006-clocks-of-nodes.ts";
import { executionsWithoutRule } from "./0007-executions-without-rule.ts";
import { claimsByStart } from "./0008-claims-by-start.ts";
import { refsOfRules } from "./0009-refs-of-rules.ts";
import type { Migration } from "./migration.ts";

/**
 * All numbered migrations, in the order in which they run. New migrations are added at the end; none may be changed or removed. A new kind,
 * a new nullable field and a new index need no numbered migration (see declared-migrations.ts).
 */
export const migrations: readonly Migration[] = [
	executionsAndCatalog,
	accessControl,
	triggersAndDatastore,
	nodesAndPolicies,
	lockedDoors,
	clocksOfNodes,
	executionsWithoutRule,
	claimsByStart,
	refsOfRules,
];
