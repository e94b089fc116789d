/** A form with every kind of field that elicitation knows. */
export const FORM = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', minLength: 2, maxLength: 60 },
    email: { type: 'string', title: 'E-mail', format: 'email', description: 'For the tickets.' },
    website: { type: 'string', format: 'uri' },
    departure: { type: 'string', title: 'Departure', format: 'date', default: '2030-01-31' },
    wakeUp: { type: 'string', title: 'Wake-up call', format: 'date-time' },
    guests: { type: 'integer', title: 'Guests', minimum: 1, maximum: 9, default: 2 },
    budget: { type: 'number', title: 'Budget', minimum: 0, default: 99.5 },
    breakfast: { type: 'boolean', title: 'Breakfast', default: true },
    seat: { type: 'string', title: 'Seat', enum: ['window', 'aisle'], default: 'window' },
    class: {
      type: 'string',
      title: 'Class',
      oneOf: [
        { const: '1', title: 'First class' },
        { const: '2', title: 'Second class' },
      ],
      default: '2',
    },
    meal: { type: 'string', title: 'Meal', enum: ['v', 'm'], enumNames: ['Vegetarian', 'Meat'] },
    days: {
      type: 'array',
      title: 'Days',
      items: { type: 'string', enum: ['Monday', 'Tuesday', 'Wednesday'] },
      minItems: 1,
      maxItems: 2,
      default: ['Monday'],
    },
    extras: {
      type: 'array',
      title: 'Extras',
      items: {
        anyOf: [
          { const: 'bike', title: 'Bicycle' },
          { const: 'dog', title: 'Dog' },
        ],
      },
    },
  },
  required: ['name', 'email'],
} as const;
