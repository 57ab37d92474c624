export const ruleTypes = [
	{
		id: "000000000000000000000001",
		name: "standard",
		description: "Looked at for every event of its trigger.",
		enabled: true,
		parameters: {},
	},
	{
		id: "000000000000000000000002",
		name: "backstop",
		description: "Looked at for events that no standard rule of the trigger matched.",
		enabled: true,
		parameters: {},
	},
] as const;
