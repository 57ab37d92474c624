import { addCompletionCommand } from "./commands/completion.ts";
import { addConformCommand } from "./commands/conform.ts";
import { addCreateCommand } from "./commands/create.ts";
import { addDatabaseCommands } from "./commands/database.ts";
import type { AddCommands } from "./commands/options.ts";
import { addPlanCommand } from "./commands/plan.ts";
import { addUserCommands } from "./commands/user.ts";

/** Commands that belong to no feature, in the order in which the help shows them: these stand before those of the features. */
export const firstCommands: readonly AddCommands[] = [addCreateCommand, addPlanCommand];

/** These stand behind them. */
export const lastCommands: readonly AddCommands[] = [addUserCommands, addDatabaseCommands, addConformCommand, addCompletionCommand];
