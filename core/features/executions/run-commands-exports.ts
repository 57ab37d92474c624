export { followStarted } from "./run-commands.ts";
