import { addCompletionCommand } from "./commands/completion.ts";
import { addDatabaseCommands } from "./commands/database.ts";
import type { AddCommands } from "./commands/options.ts";
import { addPlanCommand } from "./commands/plan.ts";
import { addUserCommands } from "./commands/user.ts";

/** Commands that belong to no feature and that the help lists before those of the features, in this order. */
export const firstCommands: readonly AddCommands[] = [addPlanCommand];

/** Commands that belong to no feature and that the help lists after those of the features, in this order. */
export const lastCommands: readonly AddCommands[] = [addUserCommands, addDatabaseCommands, addCompletionCommand];
