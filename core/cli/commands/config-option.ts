/** Option of commands that work with the configuration of a service. */
export const configOption = ["--config <file>", "configuration file of the service", "./svc.config.ts"] as const;
