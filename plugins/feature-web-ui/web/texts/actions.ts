/** Texts of the pages about actions. */

export const searchHint = "name or words";
export const noneFound = "No action matches";
export const noneFoundStep = "Search for something else, or clear the filters.";
export const noneYet = "There are no actions yet";
export const noneYetStep =
	"Install a pack with `svc pack install NAME`, or put one into a directory that the configuration lists in `packs` and register it.";

export const tabs = "Views of this action";
export const codeTab = "Code";
export const metadataTab = "Metadata";
export const entryPoint = "Entry point";
export const runForm = "Run this action";
export const noCode = "This action has no file of its own: its runner does all the work.";
export const latest = "Recent executions";
export const noneRun = "This action has not run yet";
export const noneRunStep = "Run it with the form on this page.";
export const allExecutions = "All executions of this action";
export const disabled = "This action is disabled and cannot be run.";
export const mayNotRun = "You may view this action, but not run it.";
export const noParameters = "This action takes no parameters.";
