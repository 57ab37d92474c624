/** Texts of the pages about packs. */

export const installedTab = "Packs";
export const updatesTab = "Updates";
export const followedTab = "Followed in git";
export const indexTab = "Index";
export const tabs = "Views of packs";
export const refusal = "You have no permission to view packs or their sources.";
export const reload = "Reload";
export const reloadHint = "Register the packs from their files again";
export const registered = (counts: Readonly<Record<string, unknown>>) =>
	`The packs are registered: ${Object.entries(counts)
		.map(([kind, count]) => `${count} ${kind}`)
		.join(", ")}`;

export const install = "Install";
export const installOne = "Install …";
export const installNamed = (pack: string) => `Install ${pack}`;
export const installTitle = "Install a pack";
export const installWarning = "The code of a pack runs on the machines of the service: install only packs that you trust.";
export const upgrade = "Upgrade";
export const upgradeOne = "Upgrade …";
export const upgradeAll = "Upgrade all …";
export const upgradeNamed = (pack: string) => `Upgrade ${pack}`;
export const upgradeTitle = (packs: readonly string[]) => (packs.length === 0 ? "Upgrade all packs?" : `Upgrade ${packs.join(", ")}?`);
export const upgradeText =
	"Newer versions are installed from their sources. Running executions finish with the files that they started with.";
export const rollBack = "Roll back";
export const rollBackOne = "Roll back …";
export const rollBackTitle = (pack: string) => `Roll back ${pack}?`;
export const uninstall = "Uninstall";
export const uninstallOne = "Uninstall …";
export const uninstallTitle = (pack: string) => `Uninstall ${pack}?`;
export const uninstallWarning = "Its actions, rules, sensors, aliases and policies are removed too.";
export const startedJob = (execution: string) => `Started as execution ${execution}`;

export const forceField = "Ignore conflicts of versions and dependencies.";
export const skipDependenciesField = "Do not install the packs that a pack depends on.";
export const sourceField =
	"A name in the index, the address of a repository or archive, or a directory on the service's machine. Append =version, =branch, =tag or =commit to choose a revision.";
export const rollBackVersionField = "An earlier version that is still stored. Default: the previous version.";
export const forceUninstallField = "Uninstall the pack even if other packs depend on it.";

export const gitSync = "Git sync";
export const nonePacks = "There are no packs";
export const nonePacksStep = "Install one here, or with `svc pack install NAME`.";
export const installed = "Installed";
export const author = "Author";
export const installedBy = (user: string) => ` by ${user}`;
export const installation = "Installation log";
export const builtIn = "built in";
export const fromDirectory = (path: string) => `directory ${path}`;
export const atRevision = (revision: string) => ` at ${revision}`;
export const follows = (source: string) => `Follows ${source}, last checked`;
export const changedThere = ": changes come only from there.";

export const repository = "Repository";
export const problem = "Problem";
export const checked = "Checked";
export const lastCheck = "Last check";
export const check = "Check";
export const checkNow = "Check now";
export const checkNowNamed = (source: string) => `Check now: ${source}`;
export const followedPacks = "Followed packs";
export const noneFollowed = "No pack is followed in git";
export const noneFollowedStep = "List git repositories in `packs` of the configuration, next to directories.";

export const available = "Available";
export const upToDate = "up to date";
export const installedPacks = "Installed packs";
export const noneInstalled = "No pack was installed";
export const noneInstalledStep = "Only packs that were installed can be compared with their sources. Install one.";

export const packsOfIndex = "Packs of the index";
export const searchHint = "name or word";
export const noIndex = "No index is configured";
export const noIndexStep = "Set `content.index_url` in the configuration.";
export const noneFound = "No pack matches";
export const noneFoundStep = "Search for something else.";
export const indexProblem = (url: string, message: string) => `${url}: ${message}`;

export const packTabs = "Views of this pack";
export const aboutTab = "About";
export const contentsTab = "Contents";
export const filesTab = "Files";
export const keywords = "Keywords";
export const dependsOn = "Depends on";
export const python = "Python";
export const contributors = "Contributors";
export const serviceVersions = "Service versions";
export const email = "Email";
export const noReadme = "This pack has no README.";

export const members = {
	actions: "Actions",
	rules: "Rules",
	sensors: "Sensors",
	triggerTypes: "Trigger types",
	aliases: "Aliases",
	policies: "Policies",
} as const;
export const noMembers = "This pack contains nothing that you may list.";
export const moreMembers = (count: number) => `${count} more are in the full list.`;

export const noFiles = "This pack has no files";
export const noFilesStep = "Only packs from a directory or a source have files.";
export const chooseFile = "Choose a file.";
export const file = "File";
export const notText = "This file is not text: download it to see it.";

export const configurationSaved = "The configuration is saved and applies to new executions";
export const noConfiguration = "This pack has no configuration.";
export const defaultsApply = "Nothing is set: the defaults apply.";
